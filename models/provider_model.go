package models

import (
	"fmt"

	"countersign/agent"
)

// A ProviderModel is a model that the provider offers, and what an admin says
// of it: that a connection works tells nothing of what a model can do
// (contract P17, P18).
type ProviderModel struct {
	Name          string `json:"name"` // at most 200 bytes, unique in its provider
	ContextWindow int    `json:"context_window,omitempty"`
	Images        bool   `json:"images,omitempty"`    // takes pictures
	PDF           bool   `json:"pdf,omitempty"`       // takes PDF files
	Tools         *bool  `json:"tools,omitempty"`     // calls tools; nil means yes
	Reasoning     *bool  `json:"reasoning,omitempty"` // thinks first; nil is not known
	// Price is nil where it is not known.
	Price *agent.Price `json:"price,omitempty"`
}

const (
	maxProviderModels = 200
	maxModelName      = 200 // bytes
	// MaxPrice is the largest price, in US dollars a million tokens.
	MaxPrice = 100_000
)

func checkModels(list []ProviderModel) string {
	if len(list) > maxProviderModels {
		return fmt.Sprintf("There can be %d models at most.", maxProviderModels)
	}
	seen := make(map[string]bool, len(list))
	for _, m := range list {
		switch {
		case m.Name == "" || len(m.Name) > maxModelName:
			return fmt.Sprintf("A model id has 1 to %d bytes.", maxModelName)
		case seen[m.Name]:
			return "Every model can be listed once."
		case m.ContextWindow < 0:
			return "A context window can't be negative."
		case !validPrice(m.Price):
			return fmt.Sprintf("A price is 0 to %d dollars a million tokens.", MaxPrice)
		}
		seen[m.Name] = true
	}
	return ""
}

func validPrice(p *agent.Price) bool {
	if p == nil {
		return true
	}
	for _, amount := range []*float64{&p.Input, &p.Output, p.CacheRead, p.CacheWrite} {
		// Written so that what is no number fails too.
		if amount != nil && !(*amount >= 0 && *amount <= MaxPrice) {
			return false
		}
	}
	return true
}
