package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/providers"
	"countersign/providers/probe"
	"countersign/views"
)

// probeTime bounds the test of a connection.
const probeTime = 10 * time.Second

// testProvider sends one short request over a stored connection and shows how
// that went: in place for a script, else on the page that the button was on.
func (s *Server) testProvider(w http.ResponseWriter, r *http.Request) error {
	p, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	result := s.probe(r.Context(), p)
	if err := r.Context().Err(); err != nil {
		return err // the browser has gone: that says nothing of the provider
	}
	s.tests.put(p.ID, result)
	switch {
	case r.Header.Get("HX-Request") == "true":
		return s.render(w, r, http.StatusOK, views.ProviderTestSection(p.ID, &result))
	case r.PostFormValue("back") == "list":
		return s.redirect(w, r, views.ProvidersURL, "")
	}
	return s.redirect(w, r, views.ProviderURL(p.ID)+"#"+views.IDProviderTest, "")
}

// probe tries a connection with its first model and says how it went, step by
// step. It takes probeTime at most.
func (s *Server) probe(ctx context.Context, p models.Provider) views.ProviderTest {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	started := s.config.Now()
	result, err := s.try(ctx, p)
	now := s.config.Now()
	if err != nil {
		test := faultOf(err)
		test.At = now
		return test
	}
	test := views.ProviderTest{
		OK:    true,
		Title: "It works",
		Text:  fmt.Sprintf("%s answered in %.1f s.", p.Models[0].Name, now.Sub(started).Seconds()),
		Facts: []views.Fact{{Label: "API", Value: string(p.API)}, {Label: "Request", Value: result.RequestID}},
	}
	if result.Failure != nil {
		test = faultOf(result.Failure)
	}
	test.At, test.Offers = now, newModels(p, result.Models)
	for _, c := range result.Checks {
		test.Steps = append(test.Steps, views.TestStep{Label: stepWords[c.Step].label, State: string(c.State), Note: stepNote(c)})
	}
	return test
}

func (s *Server) try(ctx context.Context, p models.Provider) (probe.Result, error) {
	if len(p.Models) == 0 {
		return probe.Result{}, &providers.Error{Category: providers.CategoryConfiguration, API: p.API}
	}
	connection, err := s.config.Connect(ctx, p)
	if err != nil {
		return probe.Result{}, err
	}
	return probe.Run(ctx, connection, p.Models[0].Name)
}

// stepWords name the steps of a test, and say what a warning means.
var stepWords = map[probe.Step]struct{ label, warning string }{
	probe.StepAddress: {"The address is one that Countersign connects to", ""},
	probe.StepName:    {"The name of the host is known", ""},
	probe.StepConnect: {"Something listens there", ""},
	probe.StepTLS:     {"The connection is secure, where the address says so", ""},
	probe.StepKey:     {"The key is accepted", ""},
	probe.StepPath:    {"The API answers at this path", ""},
	probe.StepModel:   {"The model is known", ""},
	probe.StepStream:  {"The answer streams to its end", ""},
	probe.StepTools:   {"The model takes tools", "A request with a tool was refused. Untick Tools for this model, or choose another one."},
	probe.StepUsage:   {"It says what an answer used", "There were no figures. Usage and cost will be unknown."},
}

func stepNote(c probe.Check) string {
	if c.State == probe.Warned {
		return stepWords[c.Step].warning
	}
	return ""
}

// newModels are those of a list that the provider does not have yet.
func newModels(p models.Provider, listed []string) []string {
	var list []string
	for _, id := range listed {
		if !slices.ContainsFunc(p.Models, func(m models.ProviderModel) bool { return m.Name == id }) {
			list = append(list, id)
		}
	}
	return list
}

// addModel adds a model that a test has found.
func (s *Server) addModel(w http.ResponseWriter, r *http.Request) error {
	p, err := s.config.DB.Providers().Get(r.Context(), r.PathValue("provider"))
	if err != nil {
		return err
	}
	if err := readForm(r); err != nil {
		return err
	}
	name := r.PostFormValue("model")
	list := append(slices.Clone(p.Models), models.ProviderModel{Name: name})
	_, err = s.config.DB.Providers().Update(r.Context(), p.ID, models.ProviderUpdate{Models: &list})
	var invalid models.Invalid
	if errors.As(err, &invalid) {
		return &agent.InputError{Message: "This model can't be added. " + invalid["models"]}
	}
	if err != nil {
		return err
	}
	s.tests.added(p.ID, name)
	return s.redirect(w, r, views.ProviderURL(p.ID)+"#"+views.IDProviderTest, "Added "+name+".")
}
