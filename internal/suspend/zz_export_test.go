package suspend
const NextWork = nextWork
