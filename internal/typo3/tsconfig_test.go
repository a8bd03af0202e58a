package typo3

import (
	"strings"
	"testing"
)

func TestTSconfig_ReadsWhatTYPO3Reads(t *testing.T) {
	t.Parallel()
	const key = "permissions.file.default.readFile"
	for name, c := range map[string]struct {
		text string
		want string // "-" = not set
	}{
		"plain":                           {"permissions.file.default.readFile = 0", "0"},
		"no blanks":                       {"permissions.file.default.readFile=0", "0"},
		"blanks and tabs":                 {"\tpermissions.file.default.readFile\t =  0  ", "0"},
		"windows line ends":               {"permissions.file.default {\r\nreadFile = 0\r\n}\r\n", "0"},
		"no break space stays":            {"permissions.file.default.readFile = 0\u00a0", "0\u00a0"},
		"last wins":                       {"permissions.file.default.readFile = 0\npermissions.file.default.readFile = 1", "1"},
		"braces":                          {"permissions {\n file.default {\n  readFile = 0\n }\n}", "0"},
		"brace without a blank":           {"permissions{\nfile.default{\nreadFile=0\n}\n}", "0"},
		"text behind a brace is a remark": {"permissions.file.default { readFile = 0\n writeFile = 1 }\nx = 1", "-"},
		"a block on one line stays open":  {"permissions.file.default { readFile = 0 }\nreadFile = 1", "1"},
		"an empty one does not":           {"permissions.file.default { }\nreadFile = 1", "-"},
		"closed too often":                {"}\n}\npermissions.file.default.readFile = 0", "0"},
		"comments":                        {"# permissions.file.default.readFile = 1\n// x\n/* a\n b */\npermissions.file.default.readFile = 0", "0"},
		"behind a comment's end is none":  {"/* a\n*/ permissions.file.default.readFile = 0", "-"},
		"comment that never ends":         {"/* a\npermissions.file.default.readFile = 0", "-"},
		"a value may look like a comment": {"permissions.file.default.readFile = 0 # no", "0 # no"},
		"keys are case-sensitive":         {"permissions.file.default.readfile = 0", "-"},
		"quoted dot":                      {`permissions.file\.default.readFile = 0`, "-"},
		"multi-line":                      {"permissions.file.default.readFile (\n0\n)", "0"},
		"multi-line of two":               {"permissions.file.default.readFile (\n  a\nb\n  )", "  a\nb"},
		"multi-line on one line":          {"permissions.file.default.readFile (ab)", "ab"},
		"multi-line that never ends":      {"permissions.file.default.readFile (\n0", "-"},
		"unset":                           {"permissions.file.default.readFile = 0\npermissions.file >", "-"},
		"unset in a block":                {"permissions.file {\ndefault.readFile = 0\ndefault >\n}", "-"},
		"copy":                            {"a.readFile = 0\npermissions.file.default < a", "0"},
		"copy in a block":                 {"permissions.file {\n a.readFile = 0\n default < .a\n}", "0"},
		"copy of nothing changes nothing": {"permissions.file.default.readFile = 0\npermissions.file.default < nothing", "0"},
		"copy replaces what is below":     {"a.writeFile = 0\npermissions.file.default.readFile = 0\npermissions.file.default < a", "-"},
		"copy is no reference":            {"a.readFile = 0\npermissions.file.default < a\na.readFile = 1", "0"},
		"not an operator":                 {"permissions.file.default.readFile 0", "-"},
		"appendString":                    {"permissions.file.default.readFile = 0\npermissions.file.default.readFile := appendString(0)", "00"},
		"prependString":                   {"permissions.file.default.readFile = 0\npermissions.file.default.readFile := prependString(1)", "10"},
		"removeString":                    {"permissions.file.default.readFile = 010\npermissions.file.default.readFile := removeString(1)", "00"},
		"replaceString":                   {"permissions.file.default.readFile = 1\npermissions.file.default.readFile := replaceString(1|0)", "0"},
		"addToList":                       {"permissions.file.default.readFile := addToList(a)\npermissions.file.default.readFile := addToList(b)", "a,b"},
		"addToList to an empty one":       {"permissions.file.default.readFile =\npermissions.file.default.readFile := addToList(b)", ",b"},
		"removeFromList":                  {"permissions.file.default.readFile = a, b,a\npermissions.file.default.readFile := removeFromList(a)", "b"},
		"uniqueList":                      {"permissions.file.default.readFile = a,b,a\npermissions.file.default.readFile := uniqueList()", "a,b"},
		"reverseList":                     {"permissions.file.default.readFile = a,b\npermissions.file.default.readFile := reverseList()", "b,a"},
		"nested parentheses":              {"permissions.file.default.readFile := appendString(a(b)c)", "a(b)c"},
		"braces end at a condition":       {"permissions.file.default {\n[true]\nreadFile = 0\n[end]\n}", "-"},
		"condition":                       {"[backend.user.isAdmin]\npermissions.file.default.readFile = 1\n[else]\npermissions.file.default.readFile = 0\n[end]", "0"},
		"condition ends the one before":   {"[false]\nx = 1\n[true]\npermissions.file.default.readFile = 0\n[global]", "0"},
		"condition in an open else":       {"[true]\nx = 1\n[else]\n[true]\npermissions.file.default.readFile = 0\n[end]", "-"},
		"end without a condition":         {"[end]\n[else]\npermissions.file.default.readFile = 0", "0"},
		"condition that is not closed":    {"[true\npermissions.file.default.readFile = 0", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ts := parseTSconfig(&conditionUser{uid: 7, groups: []uint32{3, 71}}, c.text)
			got, ok := ts.Lookup(key)
			if !ok {
				got = "-"
			}
			if got != c.want || ts.Unreadable {
				t.Errorf("got %q, want %q (unreadable %v)", got, c.want, ts.Unreadable)
			}
		})
	}
}

// What cannot be told from the database denies, and only where it decides.
func TestTSconfig_DeniesWhatCannotBeTold(t *testing.T) {
	t.Parallel()
	const read = "permissions.file.default.readFile = 1"
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"import":                         {"@import 'EXT:a/b.tsconfig'", true},
		"old import":                     {`<INCLUDE_TYPOSCRIPT: source="FILE:a">`, true},
		"import that is not read":        {"[false]\n@import 'EXT:a/b.tsconfig'\n[end]", false},
		"date":                           {"[date('j') == 3]\n" + read + "\n[end]", true},
		"request":                        {"[request.getQueryParams()['a'] == 1]\n" + read, true},
		"else of what is unclear":        {"[page['uid'] == 3]\n[else]\n" + read, true},
		"block in what is unclear":       {"[date('j') == 3]\npermissions {\n file.default.readFile = 1\n}\n[end]", true},
		"unset in what is unclear":       {read + "\n[date('j') == 3]\npermissions >\n[end]", true},
		"copy in what is unclear":        {"[date('j') == 3]\npermissions.file < x\n[end]", true},
		"copy from what is unclear":      {"[date('j') == 3]\nx.default.readFile = 1\n[end]\npermissions.file < x", true},
		"mounts":                         {"[date('j') == 3]\noptions.folderTree.altElementBrowserMountPoints = 1:/\n[end]", true},
		"function of an extension":       {"permissions.file.default.readFile := myFunction(1)", true},
		"reference":                      {"permissions.file =< x", true},
		"decides nothing":                {"[date('j') == 3]\noptions.pageTree.x = 1\npage.x := myFunction(2)\n[end]", false},
		"settled afterwards":             {"[date('j') == 3]\npermissions.file.default.readFile = 0\n[end]\n" + read, false},
		"unclear and false is false":     {"[date('j') == 3 && false]\n" + read + "\n[end]", false},
		"unclear or true is true":        {"[date('j') == 3 || true]\n" + read + "\n[end]", false},
		"too long":                       {strings.Repeat("a", maxTSconfig+1), true},
		"unreadable user of conditions":  {"[5 in backend.user.userGroupIds and foo.bar]\n" + read + "\n[end]", false},
		"comparison of different kinds":  {"['71' in backend.user.userGroupIds]\n" + read + "\n[end]", true},
		"expression that is not allowed": {"[`rm`]\n" + read + "\n[end]", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := parseTSconfig(&conditionUser{uid: 7, groups: []uint32{3, 71}}, c.text).Unreadable; got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	if !ParseTSconfig("[backend.user.isAdmin]\n" + read).Unreadable {
		t.Error("a condition on nobody has an answer")
	}
}

// Texts of groups and user are read one after the other; braces and conditions
// do not reach across.
func TestTSconfig_EveryTextStartsAnew(t *testing.T) {
	t.Parallel()
	ts := ParseTSconfig("permissions.file.default {\n readFile = 1\n[false]", "permissions.file.default.readFile = 0\nx < permissions.file")
	if v, _ := ts.Lookup("permissions.file.default.readFile"); v != "0" {
		t.Errorf("got %q", v)
	}
	if v, _ := ts.Lookup("x.default.readFile"); v != "0" {
		t.Errorf("copied %q", v)
	}
}

func TestCondition_Verdicts(t *testing.T) {
	t.Parallel()
	who := &conditionUser{uid: 7, groups: []uint32{3, 71}}
	for expression, want := range map[string]verdict{
		"true": yes, "false": no, "": unclear, "not true": no, "!false": yes, "! false && true": yes, "(true)": yes, "TRUE": yes,
		"backend.user.isAdmin": no, "not backend.user.isAdmin": yes, "backend.user.isLoggedIn": yes, "backend.user.isAdmin == false": yes,
		"71 in backend.user.userGroupIds": yes, "72 in backend.user.userGroupIds": no, "72 not in backend.user.userGroupIds": yes,
		"not (71 in backend.user.userGroupIds)": no, "not 71 in backend.user.userGroupIds": no,
		"3 in backend.user.userGroupIds and 71 in backend.user.userGroupIds": yes, "3 in backend.user.userGroupIds and 5 in backend.user.userGroupIds": no,
		"5 in backend.user.userGroupIds || 71 in backend.user.userGroupIds": yes, "backend.user.userId == 7": yes, "backend.user.userId in [5,7]": yes,
		"backend.user.userId != 7": no, "backend.user.userId > 6": yes, "backend.user.userId <= 6": no,
		`backend.user.userGroupList == "3,71"`: yes, `like(","~backend.user.userGroupList~",", "*,71,*")`: yes, `like(","~backend.user.userGroupList~",", "*,7,*")`: no,
		`like("abc", "a?c")`: yes, `like("abc", "a?")`: no, `like("a", "/a/")`: unclear, `"abc" contains "b"`: yes,
		"'a' == 'b'": no, "'1' == '01'": unclear, "1 == '1'": unclear, "1.5 == 1": unclear,
		"date('Y') == 2026": unclear, "backend.user": unclear, "backend.user.userGroupIds[0] == 3": unclear, "typo3.version": unclear,
		"workspace.isLive": unclear, "true and": unclear, "true)": unclear, "(true": unclear, "true true": unclear, "1 ? 2 : 3": unclear,
		"'a": unclear, `'a\n' == 'b'`: unclear, "1..5": unclear, "a.b().c": unclear, "in": unclear, "[]": no, "[1]": yes, "1": yes, "0": no, "null": no,
		strings.Repeat("(", 10_000): unclear, strings.Repeat("!", 3000) + "true": unclear, "true or " + strings.Repeat(" ", maxCondition): unclear,
	} {
		if got := who.evaluate(expression); got != want {
			t.Errorf("%.60q: got %v, want %v", expression, got, want)
		}
	}
	if got := (&conditionUser{admin: true}).evaluate("backend.user.isAdmin"); got != yes {
		t.Errorf("admin: %v", got)
	}
	if got := (*conditionUser)(nil).evaluate("backend.user.isAdmin"); got != unclear {
		t.Errorf("nobody: %v", got)
	}
}

// FuzzTSconfig holds that reading comes back, is the same every time, and that
// what is unclear about a right is never taken for a right.
func FuzzTSconfig(f *testing.F) {
	for _, s := range []string{
		"permissions.file.storage.1 {\n readFile = 0\n}", "a < b\nb < a\na.b < a", "[71 in backend.user.userGroupIds]\nx=1\n[else]\n[end]",
		"x (\n a\n)\nx := addToList(1,2)", "/* */", "x > y", "}{)(", "a\\.b.c=1", "[like('a','*')]", "x.y.z =< .a", "@import 'x'",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		who := &conditionUser{uid: 1, groups: []uint32{71}}
		a, b := parseTSconfig(who, text), parseTSconfig(who, text)
		v, ok := a.Lookup("permissions.file.default.readFile")
		if w, ok2 := b.Lookup("permissions.file.default.readFile"); v != w || ok != ok2 || a.Unreadable != b.Unreadable {
			t.Fatal("two readings differ")
		}
		if closed := ParseTSconfig(text); a.Unreadable && !closed.Unreadable {
			t.Fatal("more is known without the user than with")
		}
	})
}
