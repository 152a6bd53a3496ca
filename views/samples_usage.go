package views

import "countersign/agent"

// used are two attempts of which one told nothing.
func (m *maker) used() agent.UsageTotal {
	in, cached, out, cost := int64(18204), int64(11960), int64(2391), int64(31_200_000)
	var t agent.UsageTotal
	u := agent.ModelUsage{CostNanoUSD: &cost}
	u.InputTotal, u.CacheRead, u.Output = &in, &cached, &out
	t.Add(u)
	t.Add(agent.ModelUsage{})
	return t
}

func (m *maker) usage() []Sample {
	free := m.used()
	free.Cost = agent.Sum{Unknown: free.Attempts}
	rows := func(names ...string) []UsageRow {
		list := make([]UsageRow, len(names))
		for i, name := range names {
			list[i] = UsageRow{Name: m.say(name), Total: m.used()}
		}
		return list
	}
	page := m.page("Usage", SectionUsage)
	full := UsageProps{
		Page: page, Days: 30, Total: m.used(), Zone: m.say("CET"),
		ByModel: rows("claude-opus-5", "gpt-6"), ByPerson: rows("Dana Ruiz", "Ines Okafor"), ByDay: rows(UsageDay(sampleTime)),
	}
	full.ByModel[0].Aside = m.say("Anthropic")
	unpriced := full
	unpriced.Total, unpriced.ByDay = free, nil
	return []Sample{
		{Component: "page", State: "usage", Frame: "page", HTML: Usage(full)},
		{Component: "page", State: "usage_unpriced", Frame: "page", HTML: Usage(unpriced)},
		{Component: "page", State: "usage_none", Frame: "page", HTML: Usage(UsageProps{Page: page, Days: 7, Zone: m.say("CET")})},
		{Component: "own_usage", State: "some", HTML: OwnUsage(30, m.used())},
		{Component: "own_usage", State: "none", HTML: OwnUsage(30, agent.UsageTotal{})},
	}
}
