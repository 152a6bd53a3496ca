package provision

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/agent"
	"countersign/models"
)

// A modelEntry is a model as the file lists it: what it sets, and how.
type modelEntry struct {
	name  string
	set   []func(*models.ProviderModel)
	price *priceEntry
}

// A priceEntry is what a file says of a price. Nil is left out.
type priceEntry struct{ input, output, cacheRead, cacheWrite *float64 }

func (r *reader) models(n *yaml.Node) []modelEntry {
	var list []modelEntry
	r.list(n, func(n *yaml.Node) {
		m := r.model(n)
		for _, o := range list {
			if o.name == m.name {
				r.problem(n, "the model %q is there twice", m.name)
			}
		}
		list = append(list, m)
	})
	return list
}

func (r *reader) model(n *yaml.Node) modelEntry {
	var m modelEntry
	flag := func(name string, set func(*models.ProviderModel, bool)) field {
		return field{name, func(n *yaml.Node) {
			on := r.boolean(n, name)
			m.set = append(m.set, func(p *models.ProviderModel) { set(p, on) })
		}}
	}
	at := r.mapping(n, "a model",
		field{"name", func(n *yaml.Node) { m.name = strings.TrimSpace(r.text(n, "the name of a model")) }},
		field{"context_window", func(n *yaml.Node) {
			window := r.integer(n, "context_window", 1, math.MaxInt32)
			m.set = append(m.set, func(p *models.ProviderModel) { p.ContextWindow = window })
		}},
		flag("images", func(p *models.ProviderModel, on bool) { p.Images = on }),
		flag("pdf", func(p *models.ProviderModel, on bool) { p.PDF = on }),
		flag("tools", func(p *models.ProviderModel, on bool) { p.Tools = &on }),
		flag("reasoning", func(p *models.ProviderModel, on bool) { p.Reasoning = &on }),
		field{"price", func(n *yaml.Node) { m.price = r.price(n) }},
	)
	if at.fields["name"] == 0 {
		r.problem(n, "a model needs a name")
	}
	return m
}

func (r *reader) price(n *yaml.Node) *priceEntry {
	var p priceEntry
	amount := func(name string, to **float64) field {
		return field{name, func(n *yaml.Node) {
			v := r.amount(n, name)
			*to = &v
		}}
	}
	r.mapping(n, "a price",
		amount("input", &p.input), amount("output", &p.output),
		amount("cache_read", &p.cacheRead), amount("cache_write", &p.cacheWrite),
	)
	return &p
}

// amount reads US dollars a million tokens.
func (r *reader) amount(n *yaml.Node, what string) float64 {
	v, err := strconv.ParseFloat(n.Value, 64)
	number := n.ShortTag() == "!!float" || n.ShortTag() == "!!int"
	if n.Kind != yaml.ScalarNode || !number || err != nil || !(v >= 0 && v <= models.MaxPrice) {
		r.problem(n, "%s must be 0 to %d, in US dollars a million tokens", what, models.MaxPrice)
		return 0
	}
	return v
}

// known makes the list of models. What is stored of one and left out is kept.
func known(list []modelEntry, stored []models.ProviderModel, v models.Invalid) []models.ProviderModel {
	all := make([]models.ProviderModel, len(list))
	for i, m := range list {
		for _, s := range stored {
			if s.Name == m.name {
				all[i] = s
			}
		}
		all[i].Name = m.name
		for _, set := range m.set {
			set(&all[i])
		}
		if m.price != nil && !m.price.change(&all[i].Price) {
			v["models"] = fmt.Sprintf("The price of %q needs input and output.", m.name)
		}
	}
	return all
}

// change sets what the entry says, and reports whether the price is whole.
func (p priceEntry) change(stored **agent.Price) bool {
	if *stored == nil && (p.input == nil || p.output == nil) {
		return false
	}
	var price agent.Price
	if *stored != nil {
		price = **stored
	}
	if p.input != nil {
		price.Input = *p.input
	}
	if p.output != nil {
		price.Output = *p.output
	}
	if p.cacheRead != nil {
		price.CacheRead = p.cacheRead
	}
	if p.cacheWrite != nil {
		price.CacheWrite = p.cacheWrite
	}
	*stored = &price
	return true
}
