package actions

// Keys of the shipped actions.
const (
	SuggestAlternativeText     = "suggest_alternative_text"
	SuggestTitleAndDescription = "suggest_title_and_description"
)

// Names of the write tools.
const (
	SetFileAlternativeText = "set_file_alternative_text"
	UpdateFALAssetMeta     = "update_fal_asset_meta"
)

// Actions are the shipped editor actions, sorted by key. The slice is a copy.
func Actions() []Action {
	return []Action{
		{
			Key:            SuggestAlternativeText,
			LabelKey:       "action.suggest_alternative_text.label",
			DescriptionKey: "action.suggest_alternative_text.description",
			Icon:           "actions-image",
			Tool:           SetFileAlternativeText,
			RecordTypes:    []string{TableFile},
			VisionFields:   []Field{Alternative},
		},
		{
			Key:            SuggestTitleAndDescription,
			LabelKey:       "action.suggest_title_and_description.label",
			DescriptionKey: "action.suggest_title_and_description.description",
			Icon:           "actions-document-edit",
			Tool:           UpdateFALAssetMeta,
			RecordTypes:    []string{TableFile},
			VisionFields:   []Field{Title, Description},
		},
	}
}

// ActionByKey finds a shipped action.
func ActionByKey(key string) (Action, bool) {
	for _, a := range Actions() {
		if a.Key == key {
			return a, true
		}
	}
	return Action{}, false
}
