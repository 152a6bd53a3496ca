package chatcompletions

import "countersign/providers"

// A wirePart is a part of a message that has files.
type wirePart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitempty"`
	ImageURL *wireImage `json:"image_url,omitempty"`
	File     *wireFile  `json:"file,omitempty"`
}

type wireImage struct {
	URL string `json:"url"`
}

type wireFile struct {
	Filename string `json:"filename"`
	FileData string `json:"file_data"`
}

// userContent is a plain string where there is only text: some servers fail on
// parts.
func userContent(m providers.UserMessage) any {
	if len(m.Files) == 0 {
		return &m.Text
	}
	var parts []wirePart
	for _, f := range m.Files {
		switch {
		case f.Image():
			parts = append(parts, wirePart{Type: "image_url", ImageURL: &wireImage{f.DataURL()}})
		case f.PDF():
			parts = append(parts, wirePart{Type: "file", File: &wireFile{f.Name, f.DataURL()}})
		default:
			parts = append(parts, wirePart{Type: "text", Text: f.Quoted()})
		}
	}
	if m.Text != "" {
		parts = append(parts, wirePart{Type: "text", Text: m.Text})
	}
	return parts
}
