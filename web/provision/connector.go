package provision

import (
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/models"
)

// connector reads one item of connectors.
func (r *reader) connector(n *yaml.Node) {
	var s models.ConnectorSetup
	var changes []func(*models.Connector)
	change := func(c func(*models.Connector)) { changes = append(changes, c) }
	at := r.mapping(n, "a connector",
		field{"name", func(n *yaml.Node) { s.Name = r.name(n, "the name of a connector") }},
		field{"enabled", func(n *yaml.Node) {
			on := r.boolean(n, "enabled")
			change(func(c *models.Connector) { c.Off = !on })
		}},
		field{"stdio", func(n *yaml.Node) {
			change(r.stdio(n))
			s.Headers = map[string]models.Secret{} // a program takes none
		}},
		field{"http", func(n *yaml.Node) {
			set, headers := r.http(n)
			change(set)
			s.Headers = headers
		}},
		field{"timeout", func(n *yaml.Node) {
			d := r.duration(n, "timeout", time.Second, models.MaxToolCall)
			change(func(c *models.Connector) { c.Timeout = d })
		}},
	)
	switch {
	case at.fields["name"] == 0:
		r.problem(n, "a connector needs a name")
	case at.fields["stdio"] > 0 && at.fields["http"] > 0:
		r.problem(n, "a connector has stdio or http, not both")
	}
	s.Change = func(c *models.Connector) {
		for _, set := range changes {
			set(c)
		}
	}
	r.file.Setup.Connectors = append(r.file.Setup.Connectors, s)
	r.file.places[models.SectionConnectors] = append(r.file.places[models.SectionConnectors], at)
}

// stdio reads a server that is started as a program.
func (r *reader) stdio(n *yaml.Node) func(*models.Connector) {
	var read models.Connector
	at := r.mapping(n, "stdio",
		field{"command", func(n *yaml.Node) { read.Argv = r.texts(n, "a part of the command") }},
		field{"dir", func(n *yaml.Node) { read.Dir = r.text(n, "dir") }},
		field{"env", func(n *yaml.Node) { read.Env = r.texts(n, "a variable that the program sees") }},
	)
	if at.fields["command"] == 0 {
		r.problem(n, "stdio needs a command")
	}
	return func(c *models.Connector) {
		c.Argv, c.Dir, c.Env = read.Argv, read.Dir, read.Env
		c.URL, c.AllowPrivateNetwork = "", false
	}
}

// http reads a server that is reached over HTTP. Headers that are left out
// are kept.
func (r *reader) http(n *yaml.Node) (func(*models.Connector), map[string]models.Secret) {
	var url string
	var private *bool
	var headers map[string]models.Secret
	at := r.mapping(n, "http",
		field{"url", func(n *yaml.Node) { url = r.text(n, "url") }},
		field{"allow_private_network", func(n *yaml.Node) {
			on := r.boolean(n, "allow_private_network")
			private = &on
		}},
		field{"headers", func(n *yaml.Node) { headers = r.headers(n) }},
	)
	if at.fields["url"] == 0 {
		r.problem(n, "http needs a url")
	}
	return func(c *models.Connector) {
		c.URL, c.Argv, c.Dir, c.Env = url, nil, "", nil
		if private != nil {
			c.AllowPrivateNetwork = *private
		}
	}, headers
}

// headers reads what is sent with each request. The values are secret, so that
// no problem names one.
func (r *reader) headers(n *yaml.Node) map[string]models.Secret {
	if !r.is(n, "!!map", "headers", "a mapping of names to values") {
		return nil
	}
	headers := make(map[string]models.Secret)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode || value.ShortTag() != "!!str" {
			r.problem(key, "headers needs text for each name")
			continue
		}
		headers[key.Value] = models.NewSecret(value.Value)
	}
	return headers
}
