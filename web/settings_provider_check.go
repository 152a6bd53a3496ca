package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"countersign/models"
	"countersign/providers"
	"countersign/views"
)

const (
	// probeTime bounds the test of a connection.
	probeTime = 10 * time.Second
	// probeTokens is what the test asks for: enough for a word. A model that
	// thinks first may use it up, which proves the connection as well.
	probeTokens = 64
)

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

// probe tries a connection with its first model and says how it went. It takes
// probeTime at most.
func (s *Server) probe(ctx context.Context, p models.Provider) views.ProviderTest {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	started := s.config.Now()
	finish, err := s.ask(ctx, p)
	if err != nil {
		result := faultOf(err)
		result.At = s.config.Now()
		return result
	}
	took := s.config.Now().Sub(started)
	return views.ProviderTest{
		OK:    true,
		Title: "It works",
		Text:  fmt.Sprintf("%s answered in %.1f s.", p.Models[0].Name, took.Seconds()),
		Facts: []views.Fact{{Label: "API", Value: string(p.API)}, {Label: "Request", Value: finish.RequestID}},
		At:    s.config.Now(),
	}
}

// ask performs the request of a test, to the end of its stream.
func (s *Server) ask(ctx context.Context, p models.Provider) (providers.Finish, error) {
	if len(p.Models) == 0 {
		return providers.Finish{}, &providers.Error{Category: providers.CategoryConfiguration, API: p.API}
	}
	connection, err := s.config.Connect(ctx, p)
	if err != nil {
		return providers.Finish{}, err
	}
	request := providers.Request{
		Model:           p.Models[0].Name,
		Messages:        []providers.Message{providers.UserMessage{Text: "Reply with the word OK."}},
		Attempt:         1,
		MaxOutputTokens: probeTokens,
	}
	var finish providers.Finish
	for event, err := range connection.Stream(ctx, request) {
		if err != nil {
			return providers.Finish{}, err
		}
		if end, ok := event.(providers.Finish); ok {
			finish = end
		}
	}
	return finish, nil
}
