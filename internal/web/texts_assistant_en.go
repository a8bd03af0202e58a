package web

// englishAssistantTexts are the words of free requests about a folder.
var englishAssistantTexts = map[Key]string{
	"action.assistant.label":       "Free request",
	"action.assistant_texts.label": "Proposal of the assistant",

	"assistant.heading": "Ask the assistant: %s",
	"assistant.title":   "Ask the assistant",
	"assistant.open":    "Ask the assistant about this folder",
	"assistant.back":    "Back to the folder",
	"assistant.intro":   "Say in your own words what you want for the pictures of this folder and those below it. The assistant looks at them and proposes texts, %d at most. Each proposal is a card of its own; nothing is stored before a person approves it.",
	"assistant.label":   "What do you want?",
	"assistant.hint":    "For instance: Describe the three product pictures in the same tone. Pictures it looks at are sent to the model.",
	"assistant.start":   "Start",

	"card.request":     "The request it belongs to",
	"run.proposals":    "Proposals",
	"status.paused":    "Waits for decisions",
	"status.answered":  "Done",
	"step.assistant":   "The assistant works",
	"step.proposals":   "Its proposals are decided",
	"outcome.answered": "The assistant is done.",
	"outcome.limit":    "The assistant has used up what one request may take, and stopped. Its proposals stay.",
}
