package responses

import (
	"strings"

	"countersign/providers"
	"countersign/providers/upstream"
	"countersign/providers/wire"
)

// A spoken text is what was said over one channel so far. Parts are set apart
// by a blank line.
type spoken struct {
	strings.Builder
	of          map[int]bool // the items that had a say, by index
	index, part int
}

// delta takes a piece of text that is for people.
func (t *translator) delta(e event, to *spoken) error {
	it, code := t.items.at(int(e.OutputIndex))
	if code != "" {
		return t.fail(providers.CategoryParser, code)
	}
	var piece wire.Text
	if !wire.Absent(e.Delta) {
		if piece.UnmarshalJSON(e.Delta) != nil || !piece.Set {
			return t.fail(providers.CategoryParser, upstream.CodeInvalidContentBlock)
		}
	}
	t.say(to, it.index, int(e.SummaryIndex), piece.S)
	return nil
}

func (t *translator) say(to *spoken, index, part int, text string) {
	if text == "" || to == &t.reasoning && !t.display {
		return
	}
	if to.of == nil {
		to.of = make(map[int]bool)
	} else if to.index != index || to.part != part {
		text = "\n\n" + text
	}
	to.of[index], to.index, to.part = true, index, part
	to.WriteString(text)
	switch to {
	case &t.text:
		t.out = append(t.out, providers.TextDelta{Text: text})
	case &t.refusal:
		t.out = append(t.out, providers.RefusalDelta{Text: text})
	default:
		t.out = append(t.out, providers.ReasoningDelta{Text: text})
	}
}

// sayItem says what a finished item holds and no delta has brought.
func (t *translator) sayItem(index int, d doneItem) {
	text, refusal, reasoning := t.text.of[index], t.refusal.of[index], t.reasoning.of[index]
	switch d.Type.S {
	case "message":
		for _, c := range d.Content.V {
			if !text {
				t.say(&t.text, index, 0, c.Text.S)
			}
			if !refusal {
				t.say(&t.refusal, index, 0, c.Refusal.S)
			}
		}
	case "reasoning":
		for i, part := range d.summaries() {
			if !reasoning {
				t.say(&t.reasoning, index, i, part)
			}
		}
	}
}
