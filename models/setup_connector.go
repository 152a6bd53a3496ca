package models

import "countersign/agent"

// A ConnectorSetup creates or changes the connector of a name.
type ConnectorSetup struct {
	Name string
	// Headers take the place of those that are stored; nil keeps them.
	Headers map[string]Secret
	// Change may set everything but the name and the headers.
	Change func(*Connector)
}

func (a *applying) connector(s ConnectorSetup) (Outcome, error) {
	row, there, err := take[connectorRow](a.tx, "name = ?", s.Name)
	if err != nil {
		return "", err
	}
	c := Connector{ID: agent.NewID("o_"), Name: s.Name}
	if there {
		if c, err = row.connector(); err != nil {
			return "", err
		}
	}
	s.Change(&c)
	now, err := a.db.Connectors().row(c, s.Headers, row)
	switch {
	case err != nil:
		return "", err
	case there && now.same(row):
		return Unchanged, nil
	case there:
		return Updated, updateConnector(a.tx, now)
	}
	if err := addConnector(a.tx, now); isDuplicate(err) {
		return "", errConnectorName
	} else if err != nil {
		return "", err
	}
	return Created, nil
}
