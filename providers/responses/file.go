package responses

import "countersign/providers"

// userParts are what a person attached and wrote.
func userParts(m providers.UserMessage) []part {
	var parts []part
	for _, f := range m.Files {
		switch {
		case f.Image():
			parts = append(parts, part{Type: "input_image", ImageURL: f.DataURL(), Detail: "auto"})
		case f.PDF():
			parts = append(parts, part{Type: "input_file", Filename: f.Name, FileData: f.DataURL()})
		default:
			parts = append(parts, part{Type: "input_text", Text: new(f.Quoted())})
		}
	}
	if m.Text != "" || len(parts) == 0 {
		parts = append(parts, part{Type: "input_text", Text: &m.Text})
	}
	return parts
}
