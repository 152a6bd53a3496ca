package anthropic

import "countersign/providers"

// A wireFile is a block for an image, or for a document that has a title.
type wireFile struct {
	Type   string     `json:"type"`
	Source wireSource `json:"source"`
	Title  string     `json:"title,omitempty"`
}

// A wireSource holds the bytes: text as it is, all else as []byte, in base64.
type wireSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      any    `json:"data"`
}

func fileBlock(f providers.File) wireFile {
	switch {
	case f.Image():
		return wireFile{Type: "image", Source: wireSource{"base64", f.Type, f.Data}}
	case f.PDF():
		return wireFile{Type: "document", Source: wireSource{"base64", f.Type, f.Data}, Title: f.Name}
	}
	return wireFile{Type: "document", Source: wireSource{"text", f.Type, string(f.Data)}, Title: f.Name}
}
