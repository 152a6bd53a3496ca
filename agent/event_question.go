package agent

import "time"

// QuestionAsked puts the questions of one call to a person (contract H12).
type QuestionAsked struct {
	Interaction InteractionID `json:"interaction_id"`
	Call        CallID        `json:"call_id"`
	Questions   []Question    `json:"questions"`
	ExpiresAt   time.Time     `json:"expires_at"` // never reset
}

// A Question has two to four options, and is open to an answer in own words.
type Question struct {
	Header      string   `json:"header"`
	Question    string   `json:"question"`
	MultiSelect bool     `json:"multi_select"`
	Options     []Option `json:"options"`
}

// An Option is one answer to choose.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// QuestionAnswered holds a person's answers, all of a call's at once.
type QuestionAnswered struct {
	Interaction InteractionID `json:"interaction_id"`
	Call        CallID        `json:"call_id"`
	// Answers are in the order of the questions. It is empty where a message
	// answers them all.
	Answers []Answer `json:"answers,omitempty"`
	// Message is the message that answers, Text what it says.
	Message MessageID `json:"message_id,omitempty"`
	Text    string    `json:"text,omitempty"`
	By      Actor     `json:"by"`
}

// An Answer is what a person says to one question: chosen labels, or own
// words, or nothing where it was skipped.
type Answer struct {
	Selected []string `json:"selected,omitempty"`
	Text     string   `json:"text,omitempty"`
}

// Skipped reports whether the question was passed over.
func (a Answer) Skipped() bool { return len(a.Selected) == 0 && a.Text == "" }

func (QuestionAsked) Kind() Kind    { return "question_asked" }
func (QuestionAnswered) Kind() Kind { return "question_answered" }
