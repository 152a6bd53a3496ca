package livepage_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/web/livepage"
)

const page = `<!DOCTYPE html><html><head><title>One</title></head><body>
<main data-live="/c/1/live" data-seq="4"><ol id="list"><li id="a">A</li></ol>
<div data-attempt="x" data-channel="answer" data-end="2"><p class="block">He</p></div></main>
<p id="announce"></p></body></html>`

func parse(t *testing.T) *livepage.Page {
	t.Helper()
	p, err := livepage.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestApply(t *testing.T) {
	t.Parallel()
	draft := func(start, end, piece string) string {
		return `<template data-op="text" data-attempt="x" data-channel="answer" data-start="` + start + `" data-end="` + end + `">` + piece + `</template>`
	}
	for _, c := range []struct {
		name, frame string
		from, to    string // what differs from the page
		wants       []string
	}{
		{"put a new one", `<template data-op="put" data-in="list"><li id="b">B</li></template>`, `</ol>`, `<li id="b">B</li></ol>`, nil},
		{"put it first", `<template data-op="put" data-in="list" data-first><li id="b">B</li></template>`, `<li id="a">`, `<li id="b">B</li><li id="a">`, nil},
		{"put in place", `<template data-op="put" data-in="list"><li id="a">C</li></template>`, `>A<`, `>C<`, nil},
		{"remove", `<template data-op="remove" data-id="a"></template>`, `<li id="a">A</li>`, ``, nil},
		{"remove what is gone", `<template data-op="remove" data-id="z"></template>`, ``, ``, nil},
		{"grow", draft("2", "4", "ll"), `data-end="2"><p class="block">He`, `data-end="4"><p class="block">Hell`, nil},
		{"grow a block", draft("2", "4", `<p class="block">ll</p>`), `data-end="2"><p class="block">He</p>`, `data-end="4"><p class="block">He</p><p class="block">ll</p>`, nil},
		{"overlap", draft("0", "2", "He"), ``, ``, nil},
		{"gap", draft("3", "4", "o"), ``, ``, []string{"x"}},
		{"title", `<template data-op="title">Two</template>`, `One`, `Two`, nil},
		{"reached", `<template data-op="reached" data-seq="9"></template>`, `data-seq="4"`, `data-seq="9"`, nil},
		{"beat", `<template data-op="beat" data-seq="9"></template>`, ``, ``, nil},
	} {
		p := parse(t)
		if err := p.Apply(c.frame); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		want, err := livepage.Parse(strings.Replace(page, c.from, c.to, 1))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Normal(), p.Normal()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.wants, p.Wanted); diff != "" {
			t.Errorf("%s: wants (-want +got):\n%s", c.name, diff)
		}
		if p.Behind != (c.name == "beat") {
			t.Errorf("%s: behind is %v", c.name, p.Behind)
		}
	}
}

func TestApplyRefusesWhatABrowserWouldPassOver(t *testing.T) {
	t.Parallel()
	for _, frame := range []string{
		`<template data-op="put" data-in="nowhere"><li id="b">B</li></template>`,
		`<template data-op="put" data-in="list">text</template>`,
		`<template data-op="dance"></template>`,
		`<p>text</p>`,
	} {
		if err := parse(t).Apply(frame); err == nil {
			t.Errorf("%s was taken", frame)
		}
	}
}

func TestHelloSaysWhatThePageHas(t *testing.T) {
	t.Parallel()
	if got, want := parse(t).Hello(), `{"answer":2,"attempt":"x","seq":4}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
