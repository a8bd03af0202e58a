package web

// englishAssistantTexts are the words of free requests about a folder.
var englishAssistantTexts = map[Key]string{
	"action.assistant.label":       "Request to the assistant",
	"action.assistant_texts.label": "Proposal of the assistant",

	"assistant.heading": "Ask the assistant: %s",
	"assistant.title":   "Ask the assistant",
	"assistant.open":    "Ask the assistant about this folder",
	"assistant.back":    "Back to the folder",
	"assistant.intro":   "Say in your own words what you want for the pictures of this folder and those below it. The assistant looks at them and proposes texts, %d at most. Each proposal is a card of its own; nothing is stored before a person approves it.",
	"assistant.label":   "What do you want?",
	"assistant.hint":    "For instance: Describe the three product pictures in the same tone. Pictures it looks at are sent to the model.",
	"assistant.start":   "Start",

	"card.asked":       "The editor's request",
	"card.request":     "Show the request that this proposal comes from",
	"run.proposals":    "Proposals",
	"status.paused":    "Waits for decisions",
	"status.answered":  "Done",
	"step.assistant":   "The assistant works",
	"step.proposals":   "People review its proposals",
	"outcome.answered": "The assistant is done.",
	"outcome.limit":    "The assistant has used up what one request may take, and stopped. Its proposals stay.",

	"flash.cancelled_assistant": "The request was cancelled. What was decided about its proposals stays; cards that wait can still be decided.",

	"outcome.assistant.stay":              "What was decided about its proposals stays; cards that wait can still be decided.",
	"outcome.assistant.cancelled":         "The request was cancelled.",
	"outcome.assistant.tool_off":          "The assistant was switched off, so the request was stopped.",
	"outcome.assistant.user_gone":         "The person who made the request can no longer sign in, so it was stopped.",
	"outcome.assistant.file_gone":         "The folder or a picture of it can no longer be used, so the request was stopped.",
	"outcome.assistant.provider_failed":   "The model could not be reached or gave no usable answer, so the request was stopped.",
	"outcome.assistant.policy_denied":     "A safety rule kept a message to the model back, so the request was stopped.",
	"outcome.assistant.policy_approval":   "A safety rule asks for an approval that this service does not offer, so the request was stopped.",
	"outcome.assistant.retries_exhausted": "The request was tried several times and got no further, so it was stopped.",
	"outcome.assistant.unreadable":        "The stored state of the request could not be opened, so it was stopped.",
	"outcome.assistant.internal":          "The service had a problem, so the request was stopped.",
	"flash.sent_back":                     "Sent back: %s. The assistant reads why and may propose a better text on a new card.",
	"outcome.sent_back":                   "The proposal was sent back. The assistant may propose a better text on a card of its own. Nothing was stored.",
	"status.sent_back":                    "Sent back",
}
