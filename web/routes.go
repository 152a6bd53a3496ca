package web

import (
	"net/http"

	"countersign/agent"
	"countersign/models"
	"countersign/static"
	"countersign/web/api"
)

// access says who may use a route.
type access int

const (
	// public routes are for anybody.
	public access = iota
	// setup routes are for anybody as long as the server has no user.
	setup
	// signedIn routes are for people. What belongs to somebody else is not
	// found there.
	signedIn
	// admin routes are for people who configure the server.
	admin
)

// A route is a pattern of [http.ServeMux] with who may use it.
type route struct {
	pattern string
	access  access
	handle  handlerFunc
}

// staticPath is where assets are. They are the same for everybody, so they are
// served without looking at sessions.
const staticPath = "/static/"

// routes is every address of the server but assets.
func (s *Server) routes() []route {
	return []route{
		{"GET /healthz", public, s.showHealth},
		{"GET /readyz", public, s.showReadiness},

		{"GET /{$}", signedIn, s.showHome},
		{"GET /setup", setup, s.showSetup},
		{"POST /setup", setup, s.submitSetup},
		{"GET /login", public, s.showLogin},
		{"POST /login", public, s.submitLogin},
		{"POST /logout", signedIn, s.signOut},

		{"GET /inbox", signedIn, s.showInbox},
		{"GET /live", signedIn, s.followPerson},
		{"POST /c", signedIn, s.createConversation},
		{"GET /c", signedIn, s.listConversations},
		{"GET /c/{conversation}", signedIn, s.showConversation},
		{"GET /c/{conversation}/live", signedIn, s.follow},
		{"GET /c/{conversation}/export", signedIn, s.exportConversation},
		{"GET /c/{conversation}/answers/{attempt}", signedIn, s.showAnswer},
		{"GET /c/{conversation}/results/{call}", signedIn, s.showResult},
		{"POST /c/{conversation}/title", signedIn, s.renameConversation},
		{"POST /c/{conversation}/archive", signedIn, s.archiveConversation},
		{"GET /c/{conversation}/delete", signedIn, s.confirmDeletion},
		{"POST /c/{conversation}/delete", signedIn, s.deleteConversation},
		{"POST /c/{conversation}/messages", signedIn, s.sendMessage},
		{"GET /c/{conversation}/runs/{run}/again", signedIn, s.showRerun},
		{"POST /c/{conversation}/runs/{run}/again", signedIn, s.rerun},
		{"POST /c/{conversation}/queue", signedIn, s.sendQueued},
		{"POST /c/{conversation}/queue/{message}", signedIn, s.editQueued},
		{"POST /c/{conversation}/stop", signedIn, s.stopRun},
		{"POST /c/{conversation}/approvals/{interaction}", signedIn, s.decideApproval},
		{"POST /c/{conversation}/questions/{interaction}", signedIn, s.answerQuestion},
		{"POST /c/{conversation}/grants/{grant}/revoke", signedIn, s.revokeGrant},
		{"GET /c/{conversation}/bypass", admin, s.confirmBypass},
		{"POST /c/{conversation}/bypass", admin, s.startBypass},
		{"POST /c/{conversation}/bypass/end", signedIn, s.endBypass},
		{"POST /c/{conversation}/reconcile/{interaction}", signedIn, s.answerReconcile},
		{"POST /c/{conversation}/safety/{interaction}", signedIn, s.answerSafety},

		{"POST /attachments", signedIn, s.uploadFile},
		{"GET /attachments/{attachment}", signedIn, s.downloadFile},
		{"GET /attachments/{attachment}/preview", signedIn, s.previewFile},
		{"POST /attachments/{attachment}/remove", signedIn, s.removeFile},

		{"GET /invite", public, s.showInvitation},
		{"POST /invite", public, s.acceptInvitation},
		{"GET /account", signedIn, s.showAccount},
		{"POST /account", signedIn, s.rename},
		{"POST /account/password", signedIn, s.changePassword},
		{"POST /account/sessions", signedIn, s.endOtherSessions},
		{"POST /account/sessions/{session}", signedIn, s.endSession},

		{"GET /help/api", signedIn, s.showReference},
		{"GET /settings/keys", signedIn, s.listKeys},
		{"GET /settings/keys/new", signedIn, s.newKey},
		{"POST /settings/keys", signedIn, s.createKey},
		{"GET /settings/keys/{key}/revoke", signedIn, s.confirmRevocation},
		{"POST /settings/keys/{key}/revoke", signedIn, s.revokeKey},

		{"GET /welcome", admin, s.showWelcome},
		{"GET /settings/{$}", admin, s.showSettings},
		{"GET /settings/providers", admin, s.listProviders},
		{"GET /settings/providers/new", admin, s.newProvider},
		{"POST /settings/providers", admin, s.createProvider},
		{"POST /settings/providers/practice", admin, s.addPractice},
		{"GET /settings/providers/{provider}", admin, s.editProvider},
		{"POST /settings/providers/{provider}", admin, s.updateProvider},
		{"POST /settings/providers/{provider}/test", admin, s.testProvider},
		{"POST /settings/providers/{provider}/models", admin, s.addModel},
		{"GET /settings/providers/{provider}/delete", admin, s.confirmRemoval},
		{"POST /settings/providers/{provider}/delete", admin, s.deleteProvider},
		{"GET /settings/agents", admin, s.listAgents},
		{"GET /settings/agents/new", admin, s.newAgent},
		{"POST /settings/agents", admin, s.createAgent},
		{"GET /settings/agents/{agent}", admin, s.editAgent},
		{"POST /settings/agents/{agent}", admin, s.updateAgent},
		{"GET /settings/agents/{agent}/guardrail", admin, s.editGuardrail},
		{"POST /settings/agents/{agent}/guardrail", admin, s.saveGuardrail},
		{"GET /settings/agents/{agent}/guardrail/delete", admin, s.confirmGuardrailRemoval},
		{"POST /settings/agents/{agent}/guardrail/delete", admin, s.removeGuardrail},
		{"GET /settings/agents/{agent}/delete", admin, s.confirmAgentRemoval},
		{"POST /settings/agents/{agent}/delete", admin, s.removeAgent},
		{"GET /settings/connectors", admin, s.listConnectors},
		{"GET /settings/connectors/new", admin, s.newConnector},
		{"POST /settings/connectors", admin, s.createConnector},
		{"GET /settings/connectors/{connector}", admin, s.editConnector},
		{"POST /settings/connectors/{connector}", admin, s.updateConnector},
		{"POST /settings/connectors/{connector}/test", admin, s.testConnector},
		{"POST /settings/connectors/{connector}/tools", admin, s.saveConnectorTools},
		{"POST /settings/connectors/{connector}/accept", admin, s.acceptConnectorTool},
		{"GET /settings/connectors/{connector}/delete", admin, s.confirmConnectorRemoval},
		{"POST /settings/connectors/{connector}/delete", admin, s.removeConnector},
		{"GET /settings/policy", admin, s.showPolicy},
		{"POST /settings/policy", admin, s.createRule},
		{"GET /settings/policy/new", admin, s.newRule},
		{"POST /settings/policy/try", admin, s.tryPolicy},
		{"GET /settings/policy/rules/{rule}", admin, s.editRule},
		{"POST /settings/policy/rules/{rule}", admin, s.updateRule},
		{"GET /settings/policy/rules/{rule}/delete", admin, s.confirmRuleRemoval},
		{"POST /settings/policy/rules/{rule}/delete", admin, s.removeRule},
		{"GET /settings/people", admin, s.listPeople},
		{"GET /settings/people/invite", admin, s.newInvitation},
		{"POST /settings/people/invite", admin, s.invite},
		{"POST /settings/invitations/{invitation}", admin, s.withdrawInvitation},
		{"GET /settings/people/{person}", admin, s.showPerson},
		{"POST /settings/people/{person}", admin, s.setRole},
		{"GET /settings/people/{person}/access", admin, s.confirmDisabling},
		{"POST /settings/people/{person}/access", admin, s.setAccess},
		{"GET /settings/usage", admin, s.showUsage},
		{"GET /settings/server", admin, s.showServer},
		{"POST /settings/server", admin, s.saveServer},
	}
}

// pages answers every route. An address that none of them matches is not
// found, or does not take the method.
func (s *Server) pages() http.Handler {
	mux := http.NewServeMux()
	for _, rt := range s.routes() {
		mux.Handle(rt.pattern, s.handle(rt))
	}
	mux.Handle("/", s.handle(route{"/", public, func(w http.ResponseWriter, r *http.Request) error {
		return s.refuseUnrouted(mux, w, r)
	}}))
	return mux
}

// Handler serves everything. See the files of the middleware for why they are
// in this order.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+staticPath, noteRoute(staticPath, static.Handler()))
	mux.Handle(api.Prefix, s.programs.Handler())
	mux.Handle("/", limitBodies(s.refuseForeign(s.loadSession(s.pages()))))
	return s.logRequests(secureHeaders(s.recoverPanics(mux)))
}

func noteRoute(pattern string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requestOf(r.Context()).route = pattern
		next.ServeHTTP(w, r)
	})
}

// refuseUnrouted tells an unknown address from a known one that was asked in
// the wrong way.
func (s *Server) refuseUnrouted(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) error {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != "/" {
			w.Header().Add("Allow", method)
		}
	}
	if w.Header().Get("Allow") != "" {
		return errWrongMethod
	}
	return agent.ErrNotFound
}

// allow checks the access of a route.
func (s *Server) allow(need access, r *http.Request) error {
	user, ok := currentUser(r.Context())
	switch need {
	case public:
		return nil
	case setup:
		empty, err := s.setup.open(r.Context())
		if err == nil && !empty {
			err = models.ErrNotFirst
		}
		return err
	case signedIn, admin:
		if !ok {
			return errSignInNeeded
		}
		if need == admin && user.Role != models.RoleAdmin {
			return errAdminOnly
		}
		return nil
	}
	panic("web: a route without access")
}
