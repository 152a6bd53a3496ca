package provision

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/models"
	"countersign/providers"
	"countersign/web/check"
)

// The bounds of what a provider may be told to wait.
const (
	leastWait = time.Millisecond
	mostWait  = 24 * time.Hour
)

// providerChanges collects what a file sets of a provider, to be carried out
// on what is stored.
type providerChanges struct {
	*reader
	list []func(*models.Provider, models.Invalid)
}

func (c *providerChanges) add(change func(*models.Provider)) {
	c.list = append(c.list, func(p *models.Provider, _ models.Invalid) { change(p) })
}

func (c *providerChanges) apply(p *models.Provider) models.Invalid {
	invalid := models.Invalid{}
	for _, change := range c.list {
		change(p, invalid)
	}
	judge(*p, invalid)
	return invalid
}

// fields reads the options of a provider.
func (c *providerChanges) fields() []field {
	return []field{
		{"base_url", func(n *yaml.Node) {
			address := strings.TrimSpace(c.text(n, "base_url"))
			if problem := check.BaseURL(address); problem != "" {
				c.problem(n, "base_url: %s", problem)
			}
			c.add(func(p *models.Provider) { p.BaseURL = address })
		}},
		c.flag("allow_private_network", func(p *models.Provider, on bool) { p.AllowPrivateNetwork = on }),
		c.flag("stream_usage", func(p *models.Provider, on bool) { p.StreamUsage = &on }),
		c.flag("prompt_caching", func(p *models.Provider, on bool) { p.PromptCaching = &on }),
		{"thinking", c.thinking},
		{"output_limit_field", func(n *yaml.Node) {
			name := c.text(n, "output_limit_field")
			if name != models.OutputLimitMaxTokens && name != models.OutputLimitMaxCompletionTokens {
				c.problem(n, "output_limit_field must be %s or %s", models.OutputLimitMaxTokens, models.OutputLimitMaxCompletionTokens)
			}
			c.add(func(p *models.Provider) { p.OutputLimitField = name })
		}},
		{"max_output_tokens", func(n *yaml.Node) {
			tokens := c.integer(n, "max_output_tokens", 1, check.MaxOutputTokens)
			c.add(func(p *models.Provider) { p.MaxOutputTokens = tokens })
		}},
		{"retry", c.retry},
		{"timeouts", func(n *yaml.Node) {
			c.mapping(n, "timeouts",
				c.wait("first_byte", func(p *models.Provider, d time.Duration) { p.Timeouts.FirstByte = d }),
				c.wait("idle", func(p *models.Provider, d time.Duration) { p.Timeouts.Idle = d }),
				c.wait("attempt", func(p *models.Provider, d time.Duration) { p.Timeouts.Attempt = d }),
			)
		}},
		{"models", func(n *yaml.Node) {
			list := c.models(n)
			c.list = append(c.list, func(p *models.Provider, v models.Invalid) { p.Models = known(list, p.Models, v) })
		}},
	}
}

func (c *providerChanges) flag(name string, set func(*models.Provider, bool)) field {
	return field{name, func(n *yaml.Node) {
		on := c.boolean(n, name)
		c.add(func(p *models.Provider) { set(p, on) })
	}}
}

func (c *providerChanges) wait(name string, set func(*models.Provider, time.Duration)) field {
	return field{name, func(n *yaml.Node) {
		d := c.duration(n, name, leastWait, mostWait)
		c.add(func(p *models.Provider) { set(p, d) })
	}}
}

func (c *providerChanges) retry(n *yaml.Node) {
	c.mapping(n, "retry",
		field{"max_retries", func(n *yaml.Node) {
			most := c.integer(n, "max_retries", 0, models.MaxRetries)
			c.add(func(p *models.Provider) { p.Retry.MaxRetries = &most })
		}},
		c.wait("base", func(p *models.Provider, d time.Duration) { p.Retry.Base = d }),
		c.wait("cap", func(p *models.Provider, d time.Duration) { p.Retry.Cap = d }),
		c.wait("retry_after_cap", func(p *models.Provider, d time.Duration) { p.Retry.AfterCap = d }),
	)
}

// thinking reads the whole setting: a budget without its type means nothing.
func (c *providerChanges) thinking(n *yaml.Node) {
	var t providers.Thinking
	at := c.mapping(n, "thinking",
		field{"type", func(n *yaml.Node) {
			t.Type = providers.ThinkingType(c.text(n, "type"))
			switch t.Type {
			case providers.ThinkingAdaptive, providers.ThinkingEnabled, providers.ThinkingDisabled:
			default:
				c.problem(n, "type must be adaptive, enabled or disabled")
			}
		}},
		field{"budget_tokens", func(n *yaml.Node) {
			t.BudgetTokens = c.integer(n, "budget_tokens", providers.MinThinkingBudget, models.MaxThinkingBudget)
		}},
	)
	if n.Kind == yaml.MappingNode && (at.fields["type"] == 0 || (t.Type == providers.ThinkingEnabled) != (at.fields["budget_tokens"] > 0)) {
		c.problem(n, "thinking must be {type: adaptive}, {type: enabled, budget_tokens: N} or {type: disabled}")
	}
	c.add(func(p *models.Provider) { p.Thinking = &t })
}
