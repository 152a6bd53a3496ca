package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// modelLines reads ids, one a line, each once.
func modelLines(text string) []string {
	var list []string
	seen := make(map[string]bool)
	for line := range strings.Lines(text) {
		if model := strings.TrimSpace(line); model != "" && !seen[model] {
			seen[model] = true
			list = append(list, model)
		}
	}
	return list
}

// modelDetails reads the numbered fields of the models that the page had.
func modelDetails(text func(string) string, on func(string) bool) []views.ModelDetail {
	var list []views.ModelDetail
	for i := 0; ; i++ {
		at := "_" + strconv.Itoa(i)
		name := text("model" + at)
		if name == "" {
			return list
		}
		list = append(list, views.ModelDetail{
			Name: name, Window: text("window" + at),
			Images: on("images" + at), PDF: on("pdf" + at), Tools: on("tools" + at), Reasoning: on("reasoning" + at),
			Input: text("input" + at), Output: text("output" + at), CacheRead: text("cache_read" + at), CacheWrite: text("cache_write" + at),
		})
	}
}

// models makes the list of models. What is stored of one is kept where the form
// had no fields for it.
func (f providerForm) models(saved []models.ProviderModel, found map[string]string) []models.ProviderModel {
	known := make(map[string]models.ProviderModel)
	for _, m := range saved {
		known[m.Name] = m
	}
	typed := make(map[string]views.ModelDetail)
	for _, d := range f.Details {
		typed[d.Name] = d
	}
	var list []models.ProviderModel
	for _, name := range modelLines(f.Models) {
		m := known[name]
		m.Name = name
		if d, ok := typed[name]; ok {
			if problem := readDetail(d, &m); problem != "" {
				found["details"] = name + ": " + problem
			}
		}
		list = append(list, m)
	}
	return list
}

// readDetail puts what is typed of a model into it, or says what is wrong.
func readDetail(d views.ModelDetail, m *models.ProviderModel) string {
	var ok bool
	if m.ContextWindow, ok = number(d.Window, math.MaxInt32); !ok {
		return "a context is a whole number of tokens."
	}
	m.Images, m.PDF = d.Images, d.PDF
	m.Tools = nil // which means yes
	if !d.Tools {
		m.Tools = &d.Tools
	}
	if d.Reasoning || m.Reasoning != nil { // as long as nobody says, it is not known
		m.Reasoning = &d.Reasoning
	}
	price, problem := readPrice(d)
	m.Price = price
	return problem
}

func readPrice(d views.ModelDetail) (*agent.Price, string) {
	if d.Input == "" && d.Output == "" && d.CacheRead == "" && d.CacheWrite == "" {
		return nil, ""
	}
	if d.Input == "" || d.Output == "" {
		return nil, "a price needs one for input and one for output."
	}
	var p agent.Price
	for _, field := range []struct {
		text string
		set  func(float64)
	}{
		{d.Input, func(v float64) { p.Input = v }},
		{d.Output, func(v float64) { p.Output = v }},
		{d.CacheRead, func(v float64) { p.CacheRead = &v }},
		{d.CacheWrite, func(v float64) { p.CacheWrite = &v }},
	} {
		if field.text == "" {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimPrefix(field.text, "$"), 64)
		if err != nil || math.IsNaN(v) || v < 0 || v > models.MaxPrice {
			return nil, fmt.Sprintf("a price is a number of dollars from 0 to %d.", models.MaxPrice)
		}
		field.set(v)
	}
	return &p, ""
}

// detailOf shows a stored model.
func detailOf(m models.ProviderModel) views.ModelDetail {
	d := views.ModelDetail{
		Name: m.Name, Images: m.Images, PDF: m.PDF,
		Tools: m.Tools == nil || *m.Tools, Reasoning: m.Reasoning != nil && *m.Reasoning,
	}
	if m.ContextWindow > 0 {
		d.Window = strconv.Itoa(m.ContextWindow)
	}
	if p := m.Price; p != nil {
		d.Input, d.Output, d.CacheRead, d.CacheWrite = dollars(&p.Input), dollars(&p.Output), dollars(p.CacheRead), dollars(p.CacheWrite)
	}
	return d
}

func dollars(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
