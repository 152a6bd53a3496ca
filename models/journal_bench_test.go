package models

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"countersign/agent"
)

// An append is durable when it returns. Twenty at once share the way to the
// disk.
func BenchmarkAppend(b *testing.B) {
	for _, appenders := range []int{1, 20} {
		b.Run(fmt.Sprintf("appenders=%d", appenders), func(b *testing.B) {
			db := openTest(b, Config{})
			text := strings.Repeat("x", 280)
			scripts := make([]*script, appenders)
			for i := range scripts {
				scripts[i] = begin(b, db, agent.ConversationID(fmt.Sprint("c_", i)), "u_1")
				scripts[i].start(agent.RunID(fmt.Sprint("r_", i)))
			}
			b.ResetTimer()
			var wg sync.WaitGroup
			for i, s := range scripts {
				share := b.N / appenders
				if i < b.N%appenders {
					share++
				}
				wg.Go(func() {
					for range share {
						records, err := s.j.Append(context.Background(), s.batch(agent.RunID(fmt.Sprint("r_", i)), agent.AssistantMessage{Text: text}))
						if err != nil {
							b.Error(err)
							return
						}
						s.at = records[0].Seq
					}
				})
			}
			wg.Wait()
		})
	}
}

// Reading a page of a long journal costs the same wherever it is.
func BenchmarkRead(b *testing.B) {
	db := openTest(b, Config{})
	s := begin(b, db, "c_1", "u_1")
	for range 100 {
		var events []agent.Event
		for range 200 {
			events = append(events, agent.AssistantMessage{Text: strings.Repeat("x", 280)})
		}
		s.add("", events...)
	}
	for _, after := range []agent.Seq{0, 10_000, s.at - 200} {
		b.Run(fmt.Sprintf("200after=%d", after), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range s.j.Read(b.Context(), "c_1", after) {
					if err != nil {
						b.Fatal(err)
					}
					if n++; n == 200 {
						break
					}
				}
			}
		})
	}
}
