// Package agenttest plays scenarios: readable files that say what people, a
// scripted model and tools do, and what the engine makes of it. Only tests
// import it.
//
// A scenario is a txtar file. Its comment says what it shows and which faults
// it guards against. Its sections are:
//
//	-- tools --     the tools that the agent has, see [ParseTools]
//	-- options --   what differs from the defaults, see [ParseOptions]
//	-- script --    what the model does, see package scripted
//	-- drive --     what people and the machine do, see below
//	-- journal --   the records that are expected
//	-- timeline --  what a page shows, each time the drive says show and at
//	                the end, and which tools ran
//
// The first four are written by hand, of which tools and options may be left
// out. The last two are compared, or rewritten on demand. Ids read run-1,
// attempt-1 and so on; times are given since the first record.
//
// # Drive
//
// One verb a line. After each, everything that can go on without time passing
// has gone on.
//
//	send "text"             as message m1, m2 and so on, by Ann
//	send m1 "text"          as that message
//	edit m2 "text"          change a message in the queue
//	remove m2               take it back
//	approve [call-1]        that call, or all of the open card
//	approve [call-1] for the conversation
//	deny [call-1] "reason"
//	answer [card-1] "A" "B|C" "=words" -   the newest question, or that one: a
//	                        label, several, own words, skipped
//	revoke grant-1
//	reconcile ANSWER "note" of the newest question: happened, not_happened
//	                        or run_again
//	safety continue         or stop, the run that is stopped for safety
//	cancel                  the newest run
//	wait STATUS             until the newest run has that status
//	advance 30s             let time pass
//	gate NAME               wait until a stream or a tool stands at the gate
//	release NAME            open it
//	show                    add what the page shows to the timeline
//	forbid TOOL             from now on by hard policy
//	guard NAME …            from now on, as in the options
//	redefine TOOL [read_only]   it is another one from the next start on
//	rerun m2 ["text"]       send that message again, or the newest, with another text
//	rewind m2               forget the run of that message and those after it
//	disk full               from now on nothing can be written
//	disk free               now it can
//	stop                    shut the engine down
//	kill                    end it as a power cut does
//	kill before KIND        at the append that holds such an event, unwritten
//	kill after KIND         the same, just written
//	start                   another engine on the journal as it is
//	restart                 stop and start
//
// A verb that is to fail ends with the failure: "-> not_waiting",
// "-> not_found" or "-> refused". "by Bob" before that has another person do
// it.
//
// Play runs in a testing/synctest bubble, so time is the bubble's, and a
// goroutine left behind fails the test.
package agenttest
