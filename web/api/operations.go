package api

import (
	"net/http"

	"countersign/agent"
	"countersign/models"
)

// An operation is one thing that a program can ask for.
type operation struct {
	name         string // in clients that are made from the document
	method, path string
	scope        models.Scope
	summary      string
	query        []parameter
	in           any  // the body, nil for none
	optional     bool // the body may be missing
	file         bool // the body is a file; in is nil
	out          []result
	errors       []*Error // beside those that any operation may answer with
	// idempotent operations take an Idempotency-Key.
	idempotent bool
	// programs alone may ask for it, and no end users.
	programs bool
	do       func(*Server, *call) (answer, error)
	// follow is set instead of do for an operation that answers with a stream.
	follow func(*Server, *call) error
}

// A parameter is a part of a query.
type parameter struct {
	name, about string
	integer     bool
}

// A result is a good answer.
type result struct {
	status int
	about  string
	body   any  // nil for none
	file   bool // the bytes of a file instead
}

func (o operation) pattern() string { return o.method + " " + o.path }

// operations are everything that a program can ask for, but for the document
// that says so.
func operations() []operation {
	page := []parameter{
		{name: "limit", about: "How many at most: 1 to 100, 50 if it is missing.", integer: true},
		{name: "cursor", about: "The next_cursor of the page before."},
	}
	after := []parameter{{name: "after", about: "The newest id that was received, as with Last-Event-ID: what came up to it is not sent again.", integer: true}}
	return []operation{
		{
			name: "openConversation", method: http.MethodPost, path: "/v2/conversations", scope: models.ScopeRun, idempotent: true,
			summary: "Open a conversation", in: NewConversation{}, optional: true,
			out:    []result{{status: http.StatusCreated, about: "It is open.", body: Conversation{}}},
			errors: []*Error{errRate(0)},
			do:     (*Server).openConversation,
		},
		{
			name: "listConversations", method: http.MethodGet, path: "/v2/conversations", scope: models.ScopeRead,
			summary: "List conversations, the one that changed last first",
			query:   append(page, parameter{name: "archived", about: "true lists those in the archive."}),
			out:     []result{{status: http.StatusOK, about: "A page of the list.", body: ConversationList{}}},
			do:      (*Server).listConversations,
		},
		{
			name: "readConversation", method: http.MethodGet, path: "/v2/conversations/{conversation}", scope: models.ScopeRead,
			summary: "Read a conversation: its newest messages, and what waits for a person",
			query: []parameter{
				{name: "before", about: "The earlier of an answer: the messages before those.", integer: true},
			},
			out:    []result{{status: http.StatusOK, about: "The conversation.", body: Conversation{}}},
			errors: []*Error{errNoConversation},
			do:     (*Server).readConversation,
		},
		{
			name: "deleteConversation", method: http.MethodDelete, path: "/v2/conversations/{conversation}", scope: models.ScopeRun,
			summary: "Delete a conversation for good; a run that is under way is cancelled",
			out:     []result{{status: http.StatusNoContent, about: "It is gone."}},
			errors:  []*Error{errNoConversation},
			do:      (*Server).deleteConversation,
		},
		{
			name: "sendMessage", method: http.MethodPost, path: "/v2/conversations/{conversation}/messages", scope: models.ScopeRun, idempotent: true,
			summary: "Send a message: it starts a run, answers the question that a run waits with, or waits for the run to end",
			in:      NewMessage{}, out: []result{{status: http.StatusAccepted, about: "It is recorded.", body: Sent{}}},
			errors: []*Error{errNoConversation, errRate(0)},
			do:     (*Server).sendMessage,
		},
		{
			name: "uploadFile", method: http.MethodPost, path: "/v2/attachments", scope: models.ScopeRun,
			summary: "Upload a file for a message: a PNG, JPEG, WebP or GIF image, a PDF, or plain text, of at most 10 MB. It waits a day to be sent",
			query:   []parameter{{name: "name", about: "What the file is called."}},
			file:    true, out: []result{{status: http.StatusCreated, about: "It can be sent.", body: Attachment{}}},
			errors: []*Error{errRate(0), errTooLarge(0)},
			do:     (*Server).upload,
		},
		{
			name: "readAttachment", method: http.MethodGet, path: "/v2/attachments/{attachment}", scope: models.ScopeRead,
			summary: "Read what a file is",
			out:     []result{{status: http.StatusOK, about: "What it is.", body: Attachment{}}},
			errors:  []*Error{errNoAttachment},
			do:      (*Server).readAttachment,
		},
		{
			name: "downloadFile", method: http.MethodGet, path: "/v2/attachments/{attachment}/content", scope: models.ScopeRead,
			summary: "Download a file",
			out:     []result{{status: http.StatusOK, about: "The bytes as they came.", file: true}},
			errors:  []*Error{errNoAttachment},
			do:      (*Server).download,
		},
		{
			name: "removeAttachment", method: http.MethodDelete, path: "/v2/attachments/{attachment}", scope: models.ScopeRun,
			summary: "Take a file back that was not sent",
			out:     []result{{status: http.StatusNoContent, about: "It is gone."}},
			errors:  []*Error{errNoAttachment},
			do:      (*Server).removeAttachment,
		},
		{
			name: "readRun", method: http.MethodGet, path: "/v2/runs/{run}", scope: models.ScopeRead,
			summary: "Read a run: where it stands, what it waits for, how it ended",
			query:   []parameter{{name: "wait", about: "Up to 60 seconds: the answer comes when the run waits for a person or is over, or then.", integer: true}},
			out:     []result{{status: http.StatusOK, about: "The run.", body: Run{}}},
			errors:  []*Error{errNoRun},
			do:      (*Server).readRun,
		},
		{
			name: "followRun", method: http.MethodGet, path: "/v2/runs/{run}/stream", scope: models.ScopeRead,
			summary: "Follow a run as server-sent events, to its end",
			query:   after, out: []result{{status: http.StatusOK, about: "Frames, one in each event.", body: Frame{}}},
			errors: []*Error{errNoRun, errNoStream},
			follow: (*Server).followRun,
		},
		{
			name: "followEvents", method: http.MethodGet, path: "/v2/runs/{run}/events", scope: models.ScopeRead,
			summary: "Follow a run by the journal’s own events, with every attempt’s text and display reasoning",
			query:   after, out: []result{{status: http.StatusOK, about: "Events, one in each event of the stream.", body: JournalEvent{}}},
			errors: []*Error{errNoRun, errNoStream},
			follow: (*Server).followEvents,
		},
		{
			name: "decide", method: http.MethodPost, path: "/v2/runs/{run}/approval", scope: models.ScopeDecide, idempotent: true,
			summary: "Decide on calls that wait",
			in:      Decisions{}, out: []result{{status: http.StatusOK, about: "It is decided. The run goes on once every call of the card is.", body: Run{}}},
			errors: []*Error{errNoRun, errNotWaiting, errOwnRun},
			do:     (*Server).decide,
		},
		{
			name: "answer", method: http.MethodPost, path: "/v2/runs/{run}/answer", scope: models.ScopeRun, idempotent: true,
			summary: "Answer the questions that a run waits with",
			in:      Answers{}, out: []result{{status: http.StatusOK, about: "It is answered, and the run goes on.", body: Run{}}},
			errors: []*Error{errNoRun, errNotWaiting},
			do:     (*Server).answer,
		},
		{
			name: "reconcile", method: http.MethodPost, path: "/v2/runs/{run}/reconcile", scope: models.ScopeDecide, idempotent: true,
			summary: "Say what became of a call that had begun when the server stopped",
			in:      Reconciliation{}, out: []result{{status: http.StatusOK, about: "It is recorded, and the run goes on.", body: Run{}}},
			errors: []*Error{errNoRun, errNotWaiting, errOwnRun},
			do:     (*Server).reconcile,
		},
		{
			name: "release", method: http.MethodPost, path: "/v2/runs/{run}/safety", scope: models.ScopeDecide, idempotent: true,
			summary: "Say whether a run goes on that was stopped for safety",
			in:      Release{}, out: []result{{status: http.StatusOK, about: "It is recorded: the run goes on, or it fails.", body: Run{}}},
			errors: []*Error{errNoRun, errNotWaiting, errOwnRun},
			do:     (*Server).release,
		},
		{
			name: "cancelRun", method: http.MethodPost, path: "/v2/runs/{run}/cancel", scope: models.ScopeRun, idempotent: true,
			summary: "Cancel a run, whatever it is doing or waits for",
			in:      Nothing{}, optional: true,
			out: []result{
				{status: http.StatusAccepted, about: "It is cancelled.", body: Run{}},
				{status: http.StatusOK, about: "It was over already, and nothing has changed.", body: Run{}},
			},
			errors: []*Error{errNoRun},
			do:     (*Server).cancel,
		},
		{
			name: "listAgents", method: http.MethodGet, path: "/v2/agents", scope: models.ScopeRead,
			summary: "List the agents, the default one first",
			out:     []result{{status: http.StatusOK, about: "All of them.", body: AgentList{}}},
			do:      (*Server).listAgents,
		},
		{
			name: "listModels", method: http.MethodGet, path: "/v2/models", scope: models.ScopeRead, programs: true,
			summary: "List the models that a conversation may start with",
			out:     []result{{status: http.StatusOK, about: "All of them.", body: ModelList{}}},
			do:      (*Server).listModels,
		},
		{
			name: "makeToken", method: http.MethodPost, path: "/v2/token", scope: models.ScopeAdmin,
			summary: "Make a token for an end user, who may read, run and decide in their own conversations with one agent",
			in:      NewToken{}, out: []result{{status: http.StatusCreated, about: "The token.", body: Token{}}},
			do: (*Server).mint,
		},
		{
			name: "listKeys", method: http.MethodGet, path: "/v2/keys", scope: models.ScopeAdmin,
			summary: "List everybody’s keys, without their tokens",
			out:     []result{{status: http.StatusOK, about: "All of them.", body: KeyList{}}},
			do:      (*Server).listKeys,
		},
		{
			name: "revokeKey", method: http.MethodDelete, path: "/v2/keys/{key}", scope: models.ScopeAdmin,
			summary: "Revoke a key",
			out:     []result{{status: http.StatusNoContent, about: "It is gone, and what it followed is cut off."}},
			errors:  []*Error{errNotFound},
			do:      (*Server).revokeKey,
		},
	}
}

// A call is a request of a program that may make it.
type call struct {
	*http.Request
	w http.ResponseWriter
	caller
	body  []byte
	id    requestID // if named
	named bool
}

// conversation and run are the ids in the address.
func (c *call) conversation() agent.ConversationID {
	return agent.ConversationID(c.PathValue("conversation"))
}

func (c *call) attachment() agent.AttachmentID {
	return agent.AttachmentID(c.PathValue("attachment"))
}

func (c *call) run() agent.RunID { return agent.RunID(c.PathValue("run")) }

// read decodes the body. A missing one is empty where it may be.
func (c *call) read(into any) error {
	if len(c.body) == 0 {
		return nil
	}
	return decode(c.body, into)
}

// An answer is a good one.
type answer struct {
	status   int
	body     any    // nil for none
	json     []byte // the body as it was sent before
	replayed bool
	file     []byte // sent as it is, instead of a body
	kind     string // its media type
}

func ok(body any) (answer, error) { return answer{status: http.StatusOK, body: body}, nil }

func (a answer) encoded() []byte {
	if a.json != nil || a.body == nil {
		return a.json
	}
	return encode(a.body)
}
