package gemini

// Takes is takes, for the types that media.Image cannot have.
var Takes = takes
