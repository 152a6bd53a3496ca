package web

import (
	"net/http"

	"countersign/views"
	"countersign/web/api"
)

// showReference says what programs can do.
func (s *Server) showReference(w http.ResponseWriter, r *http.Request) error {
	page, err := s.page(r, "For programs", views.SectionKeys)
	if err != nil {
		return err
	}
	props := views.ReferenceProps{Page: page, Document: api.DocumentPath, Example: api.Example(), Frames: referenceObjects(api.Frames()), Objects: referenceObjects(api.Objects())}
	for _, o := range api.Operations() {
		row := views.ReferenceOperation{
			Method: o.Method, Path: o.Path, Summary: o.Summary, Scope: o.Scope, Idempotent: o.Idempotent,
			Query: referenceFields(o.Query), Body: referenceFields(o.Body), Errors: o.Errors,
		}
		for _, a := range o.Answers {
			row.Answers = append(row.Answers, views.ReferenceAnswer(a))
		}
		props.Operations = append(props.Operations, row)
	}
	return s.render(w, r, http.StatusOK, views.Reference(props))
}

func referenceObjects(list []api.Object) []views.ReferenceObject {
	out := make([]views.ReferenceObject, len(list))
	for i, o := range list {
		out[i] = views.ReferenceObject{Name: o.Name, Fields: referenceFields(o.Fields)}
	}
	return out
}

func referenceFields(list []api.Field) []views.ReferenceField {
	out := make([]views.ReferenceField, len(list))
	for i, f := range list {
		out[i] = views.ReferenceField(f)
	}
	return out
}
