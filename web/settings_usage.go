package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"countersign/agent"
	"countersign/models"
	"countersign/views"
)

// usageDays is how far back usage is shown if nothing else is asked for.
const usageDays = 30

// showUsage shows what everybody used, and what it cost.
func (s *Server) showUsage(w http.ResponseWriter, r *http.Request) error {
	days, err := strconv.Atoi(r.URL.Query().Get("days"))
	if err != nil || !slices.Contains(views.UsageDays, days) {
		days = usageDays
	}
	page, err := s.page(r, "Usage", views.SectionUsage)
	if err != nil {
		return err
	}
	props := views.UsageProps{Page: page, Days: days, Zone: page.Now.Format("MST")}
	filter := since(page.Now, days)
	usage := s.config.DB.Usage()
	if props.Total, err = usage.Total(r.Context(), filter); err != nil {
		return err
	}
	if props.ByModel, err = s.usageRows(r.Context(), filter, models.UsageByModel, page.Now); err != nil {
		return err
	}
	if props.ByPerson, err = s.usageRows(r.Context(), filter, models.UsageByPerson, page.Now); err != nil {
		return err
	}
	if props.ByDay, err = s.usageRows(r.Context(), filter, models.UsageByDay, page.Now); err != nil {
		return err
	}
	return s.render(w, r, http.StatusOK, views.Usage(props))
}

// since chooses what was used today and in the days before it.
func since(now time.Time, days int) models.UsageFilter {
	y, m, d := now.Date()
	return models.UsageFilter{From: time.Date(y, m, d-days+1, 0, 0, 0, 0, now.Location())}
}

func (s *Server) usageRows(ctx context.Context, f models.UsageFilter, by models.UsageBy, now time.Time) ([]views.UsageRow, error) {
	groups, err := s.config.DB.Usage().By(ctx, f, by, now.Location())
	if err != nil {
		return nil, err
	}
	names := make(map[agent.UserID]models.User)
	if by == models.UsageByPerson {
		people, err := s.config.DB.Users().List(ctx)
		if err != nil {
			return nil, err
		}
		for _, u := range people {
			names[u.ID] = u
		}
	}
	rows := make([]views.UsageRow, len(groups))
	for i, g := range groups {
		rows[i].Total = g.Total
		switch by {
		case models.UsageByModel:
			rows[i].Name, rows[i].Aside = g.Model, g.ProviderName
		case models.UsageByPerson:
			rows[i].Name, rows[i].Aside = names[g.Owner].Name, names[g.Owner].Email
			if rows[i].Name == "" {
				rows[i].Name, rows[i].Aside = "An end user", string(g.Owner)
			}
		default:
			rows[i].Name = views.UsageDay(g.Day)
		}
	}
	return rows, nil
}
