package web_test

import (
	"strings"
	"testing"

	"editor-actions/internal/typo3"
)

// Whoever has several tabs open, or hears the title first, must know where they are.
func TestTitles_TellPagesAndTheirOutcomesApart(t *testing.T) {
	t.Parallel()
	f := setup(t)
	seen := map[string]string{}
	for _, path := range []string{
		"/files", "/files/7", "/actions", "/actions?table=sys_file&uid=7", "/review", "/review/" + string(runWaiting), "/batch?uid=7",
		"/explain", "/explain?file=7&action=suggest_alternative_text&user=editor", "/explain?file=7&action=suggest_alternative_text&user=ghost", "/models",
	} {
		_, doc := f.get(admin, path)
		title := text(first(doc, "title"))
		if other, ok := seen[title]; ok {
			t.Errorf("%s and %s have the title %q", other, path, title)
		}
		seen[title] = path
	}
}

// What is wrong with a text is said by its field too, and nothing is marked as changed
// where there was nothing before.
func TestCard_FieldsAreDescribedByWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, doc := f.get(reviewer, "/review/"+string(runTwo))
	area := find(doc, "textarea", "name", "title")
	if area == nil || !strings.Contains(attr(area, "aria-describedby"), "f-title-finding-0") {
		t.Fatal("the finding is not said with the field")
	}
	if p := find(doc, "p", "id", "f-title-finding-0"); p == nil || !strings.Contains(text(p), "has HTML in it") {
		t.Error("the finding is somewhere else")
	}
	section := find(doc, "section", "aria-labelledby", "h-description")
	if count(section, "ins") != 0 || !strings.Contains(text(section), "Two lines") {
		t.Error("a text where there was none is marked as a change")
	}
	if caption := text(first(doc, "figcaption")); !strings.Contains(caption, "as it is now") {
		t.Errorf("the picture of a file that was replaced: %q", caption)
	}
}

// Sentences of the code in another language say so.
func TestExplain_SaysWhichWordsAreEnglish(t *testing.T) {
	t.Parallel()
	f := setup(t)
	german := *admin
	german.Language = "de"
	f.cms.users = append([]*typo3.BackendUser{&german}, f.cms.users...)
	_, doc := f.get(&german, "/explain?file=7&action=suggest_alternative_text&user=editor")
	if find(doc, "code", "lang", "en") == nil {
		t.Error("no word is marked")
	}
	if got := text(doc); strings.Contains(got, "not asked") || !strings.Contains(got, "Eine Prüfung davor") {
		t.Error("why a check was left out is not said in German")
	}
	if got := text(doc); !strings.Contains(got, "durch vision.excludedFolders") || !strings.Contains(got, "excluded_folder") {
		t.Error("the reason is not said in German and by its code")
	}
	if n := find(doc, "h2", "id", "checks"); n == nil || !has(n, "autofocus") {
		t.Error("the answer does not get the focus")
	}
}
