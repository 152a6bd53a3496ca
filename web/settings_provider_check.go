package web

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"countersign/models"
	"countersign/providers"
	"countersign/providers/probe"
	"countersign/views"
)

// testProvider tries a stored connection and shows how that went: in place for
// a script, else on the page that the button was on.
func (s *Server) testProvider(w http.ResponseWriter, r *http.Request) error {
	p, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	test, err := s.test(r.Context(), p, r.PostFormValue("model"))
	if err != nil {
		return err
	}
	switch {
	case r.Header.Get("HX-Request") == "true":
		return s.render(w, r, http.StatusOK, views.ProviderTestSection(views.ProviderTestProps{ID: p.ID, Models: modelNames(p), Test: &test}))
	case r.PostFormValue("back") == "list":
		return s.redirect(w, r, views.ProvidersURL, "")
	}
	return s.redirect(w, r, views.ProviderURL(p.ID)+"#"+views.IDProviderTest, "")
}

// test tries a connection with one of its models, the first one if it does not
// have that, and remembers how it went. It takes [probe.Limit] at most. The
// error is why the caller gave up, which says nothing of the provider.
func (s *Server) test(ctx context.Context, p models.Provider, model string) (views.ProviderTest, error) {
	target := probe.Target{API: p.API}
	if i := slices.IndexFunc(p.Models, func(m models.ProviderModel) bool { return m.Name == model }); len(p.Models) > 0 {
		chosen := p.Models[max(0, i)]
		target.Model, target.NoTools = chosen.Name, chosen.Tools != nil && !*chosen.Tools
	}
	started := s.config.Now()
	result, err := s.probe(ctx, p, target)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return views.ProviderTest{}, err
	}
	test := views.ProviderTest{
		Model: target.Model, At: s.config.Now(), RequestID: result.RequestID, Steps: testSteps(result.Checks), Offers: newModels(p, result.Models),
	}
	test.Took = test.At.Sub(started)
	if result.Failure != nil {
		fault := faultOf(result.Failure, p.Name)
		test.Fault = &fault
	}
	s.health.tried(p.ID, test)
	return test, nil
}

func (s *Server) probe(ctx context.Context, p models.Provider, target probe.Target) (probe.Result, error) {
	var err error
	target.Provider, err = s.config.Connect(ctx, p)
	var unusable *providers.Error
	if errors.As(err, &unusable) {
		return probe.NotOpened(unusable), nil
	}
	if err != nil {
		return probe.Result{}, err
	}
	return probe.Run(ctx, target)
}

// stepWords name the steps of a test, and say what a warning means.
var stepWords = map[probe.Step]struct{ label, warning string }{
	probe.StepName:    {"Host name", ""},
	probe.StepAddress: {"Address", ""},
	probe.StepConnect: {"Connection", ""},
	probe.StepTLS:     {"Certificate", ""},
	probe.StepAnswer:  {"Answer", ""},
	probe.StepKey:     {"Key", ""},
	probe.StepPath:    {"Path and API", ""},
	probe.StepModel:   {"Model", ""},
	probe.StepStream:  {"Streaming", ""},
	probe.StepTools:   {"Tools", ""},
	probe.StepUsage:   {"Usage figures", "The service sent none. What conversations use and cost will be unknown."},
}

func testSteps(checks []probe.Check) []views.TestStep {
	list := make([]views.TestStep, len(checks))
	for i, c := range checks {
		words := stepWords[c.Step]
		list[i] = views.TestStep{Name: string(c.Step), Label: words.label, State: string(c.State)}
		if c.State == probe.Warned {
			list[i].Note = words.warning
		}
	}
	return list
}
