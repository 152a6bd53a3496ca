// Package agent runs conversations.
//
// A conversation is its journal: an append-only list of records with a dense
// sequence number. Everything shown or decided is a fold of that list, so a
// run can stop at any point, in any process, and be picked up again.
//
// Three layers are kept apart by file. Facts: event*.go, codec.go and
// journal.go. State, folded purely from facts: state.go, run_state.go,
// run_phase.go, head.go, timeline.go, history.go and attempt_output.go. Work:
// engine.go and the files it leads to, which decide what happens next from the
// state, do it, and append what happened.
//
// A fact is committed before anyone sees it. The only thing that may reach a
// screen before the disk is provisional text (see [Delta]).
//
// The package knows no database, no HTTP server and no template. What it needs
// from them is in small interfaces: [Journal], [Index], [Catalog] and [Tool].
package agent
