package api

import (
	"encoding/json"
	"time"

	"countersign/agent"
)

// A Time is written as ISO 8601 with its offset (contract H25).
type Time time.Time

// MarshalJSON writes the time in UTC.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format(`"2006-01-02T15:04:05.999-07:00"`)), nil
}

// timeOrNull is nil for the zero time.
func timeOrNull(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	return (*Time)(&t)
}

// Nothing is an empty object.
type Nothing struct{}

// A NewConversation is a conversation to open.
type NewConversation struct {
	Agent agent.AgentID `json:"agent,omitempty" doc:"The id of an agent; the default one if it is missing."`
	Model *ModelChoice  `json:"model,omitempty" doc:"One of the models of /v2/models; the agent’s own if it is missing."`
}

// A ModelChoice names a model.
type ModelChoice struct {
	Provider string `json:"provider" doc:"The id of the provider."`
	Name     string `json:"name"`
}

// A Model is what a conversation keeps of its model.
type Model struct {
	Provider     string `json:"provider" doc:"The id of the provider."`
	ProviderName string `json:"provider_name"`
	Name         string `json:"name"`
}

func modelOf(r agent.ModelRef) Model { return Model{r.Provider, r.ProviderName, r.Model} }

// A Named is something with a name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A Conversation is a conversation with a part of its messages.
type Conversation struct {
	ID               agent.ConversationID `json:"id"`
	Title            string               `json:"title" doc:"Empty before the first message."`
	Agent            Named                `json:"agent"`
	Model            Model                `json:"model"`
	CreatedAt        Time                 `json:"created_at"`
	UpdatedAt        Time                 `json:"updated_at"`
	Archived         bool                 `json:"archived"`
	Run              *RunState            `json:"run" doc:"The newest run."`
	Messages         []Message            `json:"messages" doc:"Oldest first. A run that is not over, or that failed, has no answer among them."`
	Earlier          *agent.Seq           `json:"earlier" doc:"What to send as before for the messages before these; null if there are none."`
	Queue            []QueuedMessage      `json:"queue" doc:"Messages that wait for the run to end, oldest first."`
	PendingApproval  *PendingApproval     `json:"pending_approval"`
	PendingQuestion  *Questions           `json:"pending_question"`
	PendingReconcile *Reconcile           `json:"pending_reconcile"`
	PendingSafety    *Safety              `json:"pending_safety"`
}

// A RunState is where a run stands.
type RunState struct {
	ID    agent.RunID     `json:"id"`
	State agent.RunStatus `json:"state"`
}

// A Message is what was said.
type Message struct {
	ID          string       `json:"id"`
	Role        string       `json:"role" enum:"user,assistant"`
	RunID       agent.RunID  `json:"run_id"`
	Text        string       `json:"text"`
	Refusal     *string      `json:"refusal" doc:"What the model said instead of an answer."`
	Citations   []Citation   `json:"citations"`
	Attachments []Attachment `json:"attachments"`
	CreatedAt   Time         `json:"created_at"`
}

// An Attachment is a file that comes, or may come, with a message.
type Attachment struct {
	ID     agent.AttachmentID `json:"id"`
	Name   string             `json:"name"`
	Type   string             `json:"type" doc:"The media type, found in the bytes."`
	Size   int                `json:"size" doc:"Bytes."`
	SHA256 string             `json:"sha256"`
}

// A Citation names a source. There are none yet.
type Citation struct{}

// A QueuedMessage waits for the run to end.
type QueuedMessage struct {
	ID          agent.MessageID `json:"id"`
	RunID       agent.RunID     `json:"run_id" doc:"The run that it will start."`
	Text        string          `json:"text"`
	Attachments []Attachment    `json:"attachments"`
	CreatedAt   Time            `json:"created_at"`
}

// A ConversationList is a page of a list.
type ConversationList struct {
	Data       []ConversationEntry `json:"data"`
	NextCursor *string             `json:"next_cursor" doc:"null after the last page."`
}

// A ConversationEntry is a conversation in a list.
type ConversationEntry struct {
	ID        agent.ConversationID `json:"id"`
	Title     string               `json:"title"`
	UpdatedAt Time                 `json:"updated_at"`
	Archived  bool                 `json:"archived"`
	State     *agent.RunStatus     `json:"state" doc:"Of the newest run; null if there is none."`
}

// A NewMessage is a message to send.
type NewMessage struct {
	Text        string               `json:"text" doc:"At most 128 KiB."`
	Output      *Output              `json:"output,omitempty" doc:"What to show of the run; the agent’s choice if it is missing."`
	Attachments []agent.AttachmentID `json:"attachments,omitempty" doc:"At most 8 files that were uploaded; 24 MB together. The text may be empty then."`
}

// An Output says what a run shows while it is under way.
type Output struct {
	Reasoning      bool `json:"reasoning,omitempty" doc:"Show the reasoning that the provider designates for display."`
	BufferAttempts bool `json:"buffer_attempts,omitempty" doc:"Show an attempt’s text once it has succeeded."`
}

// A Sent says what became of a message.
type Sent struct {
	RunID          agent.RunID          `json:"run_id" doc:"The run that it starts or will start, or whose question it answers."`
	ConversationID agent.ConversationID `json:"conversation_id"`
	MessageID      agent.MessageID      `json:"message_id"`
	Queued         bool                 `json:"queued" doc:"The run begins when the one under way has ended."`
}

// A Run is a run.
type Run struct {
	ID             agent.RunID          `json:"id"`
	ConversationID agent.ConversationID `json:"conversation_id"`
	MessageID      agent.MessageID      `json:"message_id"`
	State          agent.RunStatus      `json:"state"`
	Queued         bool                 `json:"queued" doc:"It has not begun: the one before it is under way."`
	CreatedAt      Time                 `json:"created_at"`
	FinishedAt     *Time                `json:"finished_at"`
	Interruptions  []Interruption       `json:"interruptions" doc:"What it waits for; there is one exactly when the state begins with waiting_."`
	Result         *Result              `json:"result" doc:"Of a run that succeeded."`
	Error          *Failure             `json:"error" doc:"Of a run that failed or was cancelled."`
}

// An Interruption is a pause for a person.
type Interruption struct {
	Kind      agent.InteractionKind `json:"kind"`
	Approval  *Approval             `json:"approval,omitempty"`
	Question  *Questions            `json:"question,omitempty"`
	Reconcile *Reconcile            `json:"reconcile,omitempty"`
	Safety    *Safety               `json:"safety,omitempty"`
}

// A Result is how a run that succeeded ended.
type Result struct {
	FinalOutput string     `json:"final_output" doc:"The answer, as it is stored."`
	Refusal     *string    `json:"refusal" doc:"What the model said instead of an answer."`
	StopReason  *string    `json:"stop_reason" doc:"Why the answer ended early; null for an ordinary end."`
	Citations   []Citation `json:"citations"`
}

// A Failure says why a run failed or was cancelled.
type Failure struct {
	Code          string               `json:"code"`
	Message       string               `json:"message"`
	ProviderError *agent.ProviderError `json:"provider_error,omitempty" doc:"The diagnostic of the attempt that was the cause."`
}

// A PendingApproval is an approval with what was said before it.
type PendingApproval struct {
	Approval
	Explanation string `json:"explanation" doc:"What the assistant said just before."`
}

// An Approval puts calls to a person.
type Approval struct {
	RunID     agent.RunID  `json:"run_id"`
	ExpiresAt Time         `json:"expires_at"`
	Calls     []CallToSign `json:"calls" doc:"Those that are not decided yet."`
}

// A CallToSign is a call as it would run.
type CallToSign struct {
	CallID     agent.CallID    `json:"call_id"`
	ServerName *string         `json:"server_name" doc:"The connector; null for a built-in tool."`
	Name       string          `json:"name"`
	Title      string          `json:"title,omitempty"`
	Arguments  json.RawMessage `json:"arguments" doc:"As the model sent them; a string if they are not JSON."`
}

// Questions are put to a person by a call.
type Questions struct {
	RunID     agent.RunID      `json:"run_id"`
	CallID    agent.CallID     `json:"call_id"`
	ExpiresAt Time             `json:"expires_at"`
	Questions []agent.Question `json:"questions"`
}

// A Reconcile asks what became of a call that had begun when the server
// stopped. It does not expire.
type Reconcile struct {
	RunID agent.RunID `json:"run_id"`
	Call  CallToSign  `json:"call"`
}

// A Safety asks whether a run goes on that a guardrail or the loop guard
// stopped. It does not expire, and holds nothing of what was withheld.
type Safety struct {
	RunID     agent.RunID       `json:"run_id"`
	Cause     agent.SafetyCause `json:"cause" enum:"output_blocked,guardrail_failed,loop"`
	Guardrail *string           `json:"guardrail" doc:"Its name; null for a loop."`
	Times     int               `json:"times" doc:"How many responses were withheld, or how often the call came."`
	Call      *CallToSign       `json:"call" doc:"The call that came once too often; null unless it is a loop."`
}

// Decisions are verdicts on calls that wait.
type Decisions struct {
	Decisions []Decision `json:"decisions"`
}

// A Decision is the verdict on one call.
type Decision struct {
	CallID   agent.CallID `json:"call_id"`
	Decision string       `json:"decision" enum:"once,session,deny" doc:"session allows the tool for the rest of the conversation; a person may, with an end user’s token, and a key may not."`
	Reason   string       `json:"reason,omitempty" doc:"At most 512 characters."`
}

// Answers are what is said to the questions of a call.
type Answers struct {
	CallID  agent.CallID `json:"call_id,omitempty" doc:"The call that asks; the one that waits if it is missing."`
	Answers []Answer     `json:"answers" doc:"Questions without one are skipped."`
}

// An Answer is what is said to one question.
type Answer struct {
	Index    *int     `json:"index,omitempty" doc:"The place of the question, from 0; the place of the answer if it is missing."`
	Selected []string `json:"selected,omitempty" doc:"Labels of options."`
	Text     string   `json:"text,omitempty" doc:"Own words; they take the place of a choice."`
}

// A Reconciliation says what became of a call.
type Reconciliation struct {
	Answer agent.ReconcileAnswer `json:"answer" enum:"happened,not_happened,run_again"`
	Note   string                `json:"note,omitempty" doc:"At most 512 characters, for the model."`
}

// A Release says whether a run goes on that was stopped for safety.
type Release struct {
	Answer agent.SafetyAnswer `json:"answer" enum:"continue,stop" doc:"continue asks the model again, or lets the call be made; stop has the run fail."`
}

// An AgentList is all agents.
type AgentList struct {
	Data []Agent `json:"data"`
}

// An Agent is somebody who answers.
type Agent struct {
	ID    agent.AgentID `json:"id"`
	Name  string        `json:"name"`
	Model Model         `json:"model" doc:"The one it uses unless another is chosen."`
	Tools []string      `json:"tools"`
}

// A ModelList is all models.
type ModelList struct {
	Data []ModelOffer `json:"data"`
}

// A ModelOffer is a model that a conversation may start with.
type ModelOffer struct {
	Model
	ContextWindow *int `json:"context_window" doc:"In tokens; null if it is not known."`
	Images        bool `json:"images"`
	PDF           bool `json:"pdf"`
	Tools         bool `json:"tools"`
}

// A KeyList is everybody's keys.
type KeyList struct {
	Data []Key `json:"data"`
}

// A Key is an API key without its token.
type Key struct {
	ID        agent.KeyID  `json:"id"`
	User      agent.UserID `json:"user"`
	Name      string       `json:"name"`
	Prefix    string       `json:"prefix"`
	Scopes    []string     `json:"scopes"`
	CreatedAt Time         `json:"created_at"`
	UsedAt    *Time        `json:"used_at"`
	ExpiresAt *Time        `json:"expires_at"`
}

// A NewToken is a token to make for somebody whom a program serves.
type NewToken struct {
	Agent   agent.AgentID `json:"agent" doc:"The agent that they may talk to."`
	EndUser string        `json:"end_user" doc:"Who they are to the program, in at most 200 characters. They have their own conversations and no others."`
	Name    string        `json:"name,omitempty" doc:"What they are called where they sign."`
}

// A Token is what an end user sends as a Bearer token.
type Token struct {
	Token     string `json:"token" doc:"It is shown this once."`
	ExpiresAt Time   `json:"expires_at" doc:"In an hour."`
}
