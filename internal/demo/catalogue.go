package demo

import "editor-actions/internal/demo/paint"

// texts are the metadata of a file in one language. An empty string is stored
// as NULL, which is what TYPO3 does with a field nobody filled.
type texts struct {
	title, alternative, description string
	decorative                      bool // alternative is '' on purpose
}

// entry is one file of the demo site.
type entry struct {
	storage int // 1 fileadmin, 2 archive
	folder  string
	name    string
	draw    func() (paint.Image, error)
	sameAs  string // the file is a copy of this one, by name
	en      texts
	de      *texts                      // a German translation of the metadata row
	noRow   bool                        // TYPO3 has not made a metadata row yet
	missing bool                        // a row without a file: somebody deleted it on the server
	draft   func() (paint.Image, error) // what a draft has instead, when the odd thing is in the bytes
}

func (e entry) identifier() string { return e.folder + e.name }

const (
	landscapes = "/Landschaften/"
	stillLifes = "/Stillleben/"
	events     = "/Veranstaltungen/Sommerfest 2024/"
	charts     = "/Charts and figures/"
	website    = "/Website/"
	uploads    = "/user_upload/"
	closedRoom = "/Vertraulich/"
)

// entries are all files, in the order of their uids: append only.
var entries = []entry{
	// the good examples
	{
		storage: 1, folder: landscapes, name: "Bergsee im Abendlicht.jpg", draw: paint.MountainLake,
		en: texts{title: "Mountain lake in the evening", alternative: "Snowy mountains mirrored in a calm lake at sunset, dark firs on the left bank", description: "View from the south shore. May be used on every page."},
		de: &texts{title: "Bergsee am Abend", alternative: "Verschneite Berge spiegeln sich bei Sonnenuntergang in einem stillen See, links dunkle Tannen"},
	},
	{storage: 1, folder: landscapes, name: "Hügel im Nebel.jpg", draw: paint.MistyHills},
	// bad ones: a camera's file name as alternative text
	{storage: 1, folder: landscapes, name: "IMG_1234.JPG", draw: paint.Beach, en: texts{title: "IMG_1234", alternative: "IMG_1234.JPG"}},
	{storage: 1, folder: landscapes, name: "IMG_1235.JPG", draw: paint.SailingBoat},
	{storage: 1, folder: landscapes, name: "DSC00042.jpg", draw: paint.ForestPath, draft: paint.DraftOnItsSide, en: texts{title: "Forest path"}},
	{storage: 1, folder: landscapes, name: "Küste bei Ebbe – Panorama.jpg", draw: paint.CoastPanorama},
	{storage: 1, folder: landscapes + "Nacht/", name: "Sternenhimmel über dem Wald.jpg", draw: paint.StarrySky, en: texts{title: "Milky Way"}},
	{
		storage: 1, folder: landscapes + "Nacht/", name: "Mondaufgang.jpg", draw: paint.Moonrise,
		en: texts{title: "Moonrise", alternative: "The full moon above a lake, a wooden jetty in front", description: "Taken from the jetty of the boat hire."},
	},
	{storage: 1, folder: landscapes + "Winter/", name: "Winterwald.jpg", draw: paint.WinterForest, en: texts{alternative: "image"}},
	{storage: 1, folder: landscapes + "Winter/", name: "verschneites Tal.JPG", draw: paint.SnowyValley},
	{storage: 1, folder: landscapes + "Frühling/", name: "Blumenwiese.jpg", draw: paint.FlowerMeadow, en: texts{alternative: "Blumenwiese"}},
	// decomposed characters, as an upload from a Mac leaves them
	{storage: 1, folder: landscapes + "Frühling/", name: "Mu\u0308hle mit Tulpen.jpg", draw: paint.Windmill},

	{storage: 1, folder: stillLifes, name: "Obstschale.jpg", draw: paint.FruitBowl},
	{storage: 1, folder: stillLifes, name: "Äpfel (3 Stück).jpg", draw: paint.ThreeApples, en: texts{title: "Apples", alternative: "Three apples, red, green and yellow, on a marble slab"}},
	{storage: 1, folder: stillLifes, name: "Tasse Kaffee.jpg", draw: paint.CoffeeCup, en: texts{description: "For the page of the café"}},
	{storage: 1, folder: stillLifes, name: "Leselampe.jpg", draw: paint.ReadingLamp},
	{storage: 1, folder: stillLifes, name: "Stuhl am Fenster.jpg", draw: paint.ChairByTheWindow, en: texts{alternative: "photo of a chair picture image chair.jpg"}},

	{storage: 1, folder: events, name: "Sommerfest 2024.jpg", draw: paint.SummerFestival},
	{storage: 1, folder: events, name: "Sommerfest 2024 (Kopie).jpg", sameAs: "Sommerfest 2024.jpg"},
	{storage: 1, folder: events, name: "Feuerwerk am See.jpg", draw: paint.Fireworks},
	{storage: 1, folder: events, name: "Plakat A3 FINAL final2.png", draw: paint.FestivalPoster, en: texts{title: "Poster"}},
	{storage: 1, folder: events, name: "Countdown.gif", draw: paint.Countdown, draft: paint.DraftCountdown},
	{storage: 1, folder: events + "Dokumente/", name: "Programmheft.pdf", draw: paint.Programme, draft: paint.Programme, en: texts{title: "Programme of the summer festival"}},
	{storage: 1, folder: events + "Dokumente/", name: "Notizen.jpg", draw: paint.NotesNamedJPG, draft: paint.NotesNamedJPG},

	{
		storage: 1, folder: charts, name: "Visitors 2019-2024.png", draw: paint.VisitorBars,
		en: texts{title: "Visitors per year", alternative: "chart"},
	},
	{storage: 1, folder: charts, name: "Overnight stays per month.png", draw: paint.NightsLine},
	{storage: 1, folder: charts, name: "How guests travel (46% car).png", draw: paint.TravelPie},

	{storage: 1, folder: website, name: "Logo.png", draw: paint.Logo, en: texts{title: "Logo", alternative: "Lakeside, town and shore"}, de: &texts{title: "Logo", alternative: "Lakeside, Stadt und Ufer"}},
	{storage: 1, folder: website, name: "Logo weiß.png", draw: paint.WhiteLogo, draft: paint.WhiteLogo},
	{storage: 1, folder: website, name: "logo.svg", draw: paint.VectorLogo, draft: paint.VectorLogo, en: texts{alternative: "Lakeside"}},
	{storage: 1, folder: website, name: "Screenshot 2024-11-05 14.32.07.png", draw: paint.Screenshot},
	{storage: 1, folder: website, name: "header_sommer_BREIT.jpg", draw: paint.WideHeader, en: texts{title: "Header", decorative: true}},

	{storage: 1, folder: "/Karten & Pläne/", name: "Wanderkarte Seeufer.png", draw: paint.HikingMap},
	{storage: 1, folder: "/Karten & Pläne/", name: "Felder von oben.jpg", draw: paint.FieldsFromAbove},

	{storage: 1, folder: uploads, name: "Aushang Öffnungszeiten.png", draw: paint.OpeningHours},
	{storage: 1, folder: uploads, name: "abgebrochener Upload.jpg", draw: paint.BrokenUpload, draft: paint.DraftBroken},
	{storage: 1, folder: uploads, name: "Struktur_Papier_GROSS.png", draw: paint.PaperTexture, en: texts{decorative: true}},
	{storage: 1, folder: uploads, name: "Postkarte neu.jpg", draw: paint.Postcard, noRow: true},
	{storage: 1, folder: uploads, name: "gelöscht.jpg", missing: true, en: texts{alternative: "A picture that is gone"}},

	{storage: 1, folder: closedRoom, name: "Grundriss Erdgeschoss.png", draw: paint.FloorPlan},

	{storage: 2, folder: "/1968/", name: "scan_0001.jpg", draw: paint.OldMountainPrint},
	{storage: 2, folder: "/1968/", name: "Straßenbahn Linie 3.jpg", draw: paint.OldStreet, en: texts{title: "Tram", description: "From an album, year on the back: 1968"}},
	{storage: 2, folder: "/Postkarten/", name: "Gruß vom See.jpg", sameAs: "Postkarte neu.jpg"},
	{storage: 2, folder: "/Postkarten/", name: "Gruß vom See (Rückseite).jpg", draw: paint.PostcardBack},
}
