package demo

import "fmt"

// content is one content element with the pictures it shows.
type content struct {
	page     int
	kind     string // CType; "textmedia" keeps its pictures in assets, the others in image
	header   string
	body     string
	pictures []use
}

// use is a picture in a content element. override replaces the alternative text
// of the file in this one place; nil means "the text of the file".
type use struct {
	file     string
	override *string
}

func words(s string) *string { return &s }

var pageRows = []row{
	{"pid": 0, "title": "Lakeside", "slug": "/", "is_siteroot": 1},
	{"pid": 1, "title": "Visit", "slug": "/visit"},
	{"pid": 1, "title": "Events", "slug": "/events"},
	{"pid": 1, "title": "Nature", "slug": "/nature"},
	{"pid": 1, "title": "Town hall", "slug": "/town-hall"},
	{"pid": 5, "title": "Facts and figures", "slug": "/town-hall/facts-and-figures"},
	{"pid": 2, "title": "The old lake", "slug": "/visit/the-old-lake"},
}

var contents = []content{
	{
		1, "textmedia", "Evenings by the lake", "<p>Walks, boats and warm light until ten o'clock.</p>",
		[]use{{"Bergsee im Abendlicht.jpg", nil}, {"header_sommer_BREIT.jpg", words("")}},
	},
	{1, "image", "", "", []use{{"Logo.png", nil}}},
	{
		2, "textpic", "On the beach", "<p>The lido is open from May to September.</p>",
		[]use{{"IMG_1234.JPG", nil}, {"IMG_1235.JPG", words("A sailing boat at sunset")}},
	},
	{2, "textpic", "Find your way", "<p>The path around the lake takes three and a half hours.</p>", []use{{"Wanderkarte Seeufer.png", nil}}},
	{
		3, "textmedia", "Summer festival", "<p>13 July, from 3 pm, in the park by the shore.</p>",
		[]use{{"Sommerfest 2024.jpg", nil}, {"Plakat A3 FINAL final2.png", nil}, {"Feuerwerk am See.jpg", nil}},
	},
	{3, "uploads", "Download", "", []use{{"Programmheft.pdf", nil}}},
	{
		4, "textmedia", "All seasons", "<p>From tulips to deep snow.</p>",
		[]use{{"Blumenwiese.jpg", nil}, {"DSC00042.jpg", nil}, {"Winterwald.jpg", nil}, {"Küste bei Ebbe – Panorama.jpg", nil}},
	},
	{5, "textpic", "Town library", "<p>New opening hours since autumn.</p>", []use{{"Aushang Öffnungszeiten.png", nil}, {"Leselampe.jpg", nil}}},
	{
		6, "textmedia", "Tourism in numbers", "<p>Guests, nights and how people travel.</p>",
		[]use{{"Visitors 2019-2024.png", nil}, {"Overnight stays per month.png", nil}, {"How guests travel (46% car).png", nil}},
	},
	{7, "textpic", "Greetings from 1968", "<p>From the town's archive.</p>", []use{{"scan_0001.jpg", nil}, {"Gruß vom See.jpg", nil}}},
}

func (c content) field() string {
	switch c.kind {
	case "textmedia":
		return "assets"
	case "uploads":
		return "media"
	}
	return "image"
}

// pages inserts pages, content elements and the uses of files in them.
func (w *writer) pages(files []stored) {
	byName := map[string]int{}
	for i, f := range files {
		byName[f.name] = i + 1
	}
	rows := make([]row, len(pageRows))
	for i, p := range pageRows {
		rows[i] = row{"doktype": 1, "perms_userid": 1, "perms_groupid": 1, "perms_user": 31, "perms_group": 31, "SYS_LASTCHANGED": epoch.Unix()}
		for k, v := range p {
			rows[i][k] = v
		}
	}
	w.all("pages", rows)
	elements := make([]row, len(contents))
	for i, c := range contents {
		elements[i] = row{"pid": c.page, "CType": c.kind, "header": c.header, "imagecols": 2, c.field(): len(c.pictures)}
		if c.body != "" {
			elements[i]["bodytext"] = c.body
		}
	}
	w.all("tt_content", elements)
	uid := 0
	for i, c := range contents {
		for j, u := range c.pictures {
			uid++
			file, ok := byName[u.file]
			if !ok && w.err == nil {
				w.err = fmt.Errorf("demo: content %q shows %s, which there is not", c.header, u.file)
			}
			r := row{
				"uid": uid, "pid": c.page, "tstamp": epoch.Unix(), "crdate": epoch.Unix(), "uid_local": file,
				"uid_foreign": i + 1, "tablenames": "tt_content", "fieldname": c.field(), "sorting_foreign": j + 1,
			}
			if u.override != nil {
				r["alternative"] = *u.override
			}
			w.insert("sys_file_reference", r)
		}
	}
}
