// Package toolimages keeps the pictures that tools return, and shows each to the model
// once: right after the round of calls that made it.
//
// A tool's result is a text. Its pictures are saved for the run (normalised, sealed, by
// internal/suspend) and the message carries a Presentation, which refers to them and
// holds no pixels. Project puts the pictures of the last round behind it, as one user
// message, into an Outbound: it can be sent, and nothing that stores takes it. Earlier
// rounds keep their texts. Every reference is verified against the scope of the run before
// bytes are read, and the bytes against their record; one that fails stops the request,
// because a model that was promised a picture must not answer without it.
//
// The order is law: screen, project, gate, send. A summary is copied as it was screened;
// titles, which no screener has seen, go through Host.Screen.
//
//	images, err := toolimages.New(store, scaler, toolimages.Host{
//		Scope: func(context.Context) (toolimages.Scope, error) { return toolimages.ForRun(installation, run), nil },
//		MayLook: mayLook, Screen: screen, MaxEdge: edge,
//	}, toolimages.DefaultConfig())
//	p, err := images.Save(ctx, toolimages.SaveInput{Data: data, MIMEType: "image/png", Title: "Page 3"})
//	m, err := images.Result(call, "Page 3 of the leaflet, as an image.", p) // every call of the turn gets a reply
//	state.Messages = append(state.Messages, m)                              // durable, and screened before it is sent
//	out, need, err := images.Project(ctx, screened, map[string]struct{}{"view_page": {}})
//	resp, _, err := models.Complete(ctx, configuration, request.With(out), required.Merge(need))
//
// A Service is cheap: make one for each stretch of a run, with what it may ask bound to
// the acting user. The capability is absent where no run is bound (Available).
//
// What it refuses to do: take a scope, a source or a path from a model or a request, keep
// what is no picture, correct a wrong type in silence, fall back to text, and say why in
// an error (Reason is for operators).
package toolimages
