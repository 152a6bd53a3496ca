package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/models"
	"countersign/providers"
)

// options reads what tunes the connection. Options of another API are not in
// the form and keep what is stored.
func (f providerForm) options(p *models.Provider, found map[string]string) {
	switch p.API {
	case providers.APIChatCompletions:
		p.StreamUsage, p.OutputLimitField = &f.StreamUsage, f.OutputField
	case providers.APIAnthropic:
		p.PromptCaching = &f.PromptCaching
		p.Thinking = f.thinking(found)
	}
	p.Retry.MaxRetries = nil
	if f.Retries != "" {
		n, err := strconv.Atoi(f.Retries)
		if err != nil || n < 0 || n > models.MaxRetries {
			found["retries"] = fmt.Sprintf("Enter a whole number from 0 to %d, or nothing.", models.MaxRetries)
		}
		p.Retry.MaxRetries = &n
	}
	for name, field := range map[string]struct {
		text string
		into *time.Duration
	}{
		"retry_base": {f.RetryBase, &p.Retry.Base}, "retry_cap": {f.RetryCap, &p.Retry.Cap}, "retry_after_cap": {f.RetryAfterCap, &p.Retry.AfterCap},
		"first_byte": {f.FirstByte, &p.Timeouts.FirstByte}, "idle": {f.Idle, &p.Timeouts.Idle}, "attempt": {f.Attempt, &p.Timeouts.Attempt},
	} {
		d, ok := readTime(field.text)
		if !ok {
			found[name] = "Enter a time such as 90s or 5m, from 1ms to 24h, or nothing."
		}
		*field.into = d
	}
}

func (f providerForm) thinking(found map[string]string) *providers.Thinking {
	if f.Thinking == "" {
		return nil
	}
	t := &providers.Thinking{Type: providers.ThinkingType(f.Thinking)}
	if t.Type != providers.ThinkingEnabled {
		return t
	}
	n, ok := number(f.Budget, 1<<20)
	if !ok || n < providers.MinThinkingBudget {
		found["budget"] = fmt.Sprintf("A budget is a whole number of tokens, %d at least.", providers.MinThinkingBudget)
	}
	t.BudgetTokens = n
	return t
}

// readTime reads a time, in seconds where no unit is named; 0 if there is none.
func readTime(text string) (time.Duration, bool) {
	if text == "" {
		return 0, true
	}
	text = strings.ReplaceAll(text, " ", "")
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d >= time.Millisecond && d <= 24*time.Hour
}

// timeText writes a time as readTime reads it: "" for the default, 90s, 5m.
func timeText(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d%time.Minute == 0:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return d.String()
}
