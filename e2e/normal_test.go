package e2e_test

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// normalise describes the document as text: one line for each element, its
// state and each stretch of text, indented by depth. Two tabs that show the
// same have the same description. Left out is what may differ between them:
//
//   - times, ages, countdowns and how long something took;
//   - whether a fold, a popover or a toast is open, and what has the focus;
//   - the line about the connection and the sentence for screen readers, which
//     tell what this tab went through;
//   - where a draft is cut into blocks: its text counts as one;
//   - generated ids, in attributes and addresses.
//
// What counts is everything else: text to the letter, elements in order, their
// classes, what is hidden, disabled, checked or typed in, how much of a draft
// has come, and the newest record that the page has.
const normalise = `() => {
	const skipped = '#connection, #announce, #toasts, script, link, meta, svg, .tool__dur';
	const generated = /\b[a-z]{1,4}_[a-z0-9]{20,}/g;
	const without = s => s.replace(generated, 'ID');
	const kept = ['action', 'aria-current', 'aria-invalid', 'aria-label', 'data-channel', 'data-end', 'data-seq',
		'data-state', 'disabled', 'hidden', 'href', 'method', 'name', 'placeholder', 'role', 'type'];
	const lines = [without(document.title)];
	const put = (depth, text) => lines.push(' '.repeat(depth) + text);
	const describe = (e, depth) => {
		let name = e.localName;
		for (const c of e.classList) if (!c.startsWith('htmx-')) name += '.' + c;
		for (const a of kept) if (e.hasAttribute(a)) name += ' ' + a + '=' + JSON.stringify(without(e.getAttribute(a)));
		if (e.checked) name += ' checked';
		if (e.localName === 'textarea') name += ' value=' + JSON.stringify(e.value);
		put(depth, name);
	};
	const walk = (e, depth) => {
		let text = '';
		const flush = () => { if (text.trim()) put(depth, JSON.stringify(without(text.trim()))); text = ''; };
		for (const n of e.childNodes) {
			if (n.nodeType === Node.TEXT_NODE) text += n.data;
			if (n.nodeType !== Node.ELEMENT_NODE || n.matches(skipped)) continue;
			if (n.matches('p.block')) { text += n.textContent; continue; }
			flush();
			if (n.localName === 'time') { put(depth, 'time'); continue; }
			if (n.localName === 'dd' && n.previousElementSibling?.textContent === 'Took') { put(depth, 'dd Took'); continue; }
			describe(n, depth);
			if (n.localName !== 'textarea') walk(n, depth + 1);
		}
		flush();
	};
	walk(document.body, 0);
	return lines.join('\n');
}`

// normalised is what the page shows now; see [normalise].
func (p *page) normalised() string {
	p.t.Helper()
	text, err := p.Evaluate(normalise)
	p.must(err)
	return fmt.Sprint(text)
}

// wantSame requires that the tabs show the same as this one does.
func (p *page) wantSame(others ...*page) {
	p.t.Helper()
	want := strings.Split(p.normalised(), "\n")
	for i, other := range others {
		if diff := cmp.Diff(want, strings.Split(other.normalised(), "\n")); diff != "" {
			p.t.Errorf("tab %d shows something else (-first tab +tab %d):\n%s", i+2, i+2, diff)
		}
	}
}

// lacks requires that the text has none of the parts in it.
func (p *page) lacks(what, text string, parts []string) {
	p.t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			p.t.Errorf("%s holds %q", what, part)
		}
	}
}
