package provision

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"countersign/models"
)

// user reads one item of users.
func (r *reader) user(n *yaml.Node) {
	var s models.UserSetup
	at := r.mapping(n, "a user",
		field{"email", func(n *yaml.Node) { s.Email = r.name(n, "the email of a user") }},
		field{"name", func(n *yaml.Node) { s.Name = strings.TrimSpace(r.text(n, "name")) }},
		field{"role", func(n *yaml.Node) {
			s.Role = models.Role(r.text(n, "role"))
			if s.Role != models.RoleAdmin && s.Role != models.RoleMember {
				r.problem(n, "role must be admin or member")
			}
		}},
		field{"password_file", func(n *yaml.Node) { s.Password = r.secret(n, "password_file") }},
	)
	if at.fields["email"] == 0 {
		r.problem(n, "a user needs an email")
	}
	r.file.Setup.Users = append(r.file.Setup.Users, s)
	r.file.places[models.SectionUsers] = append(r.file.places[models.SectionUsers], at)
}
