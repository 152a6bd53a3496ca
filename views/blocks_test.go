package views_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/views"
)

func TestBlocksEndAfterBlankLinesAndWhenFull(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", 2048)
	for _, c := range []struct {
		name string
		text string
		want []string
	}{
		{"empty", "", nil},
		{"one line", "a", []string{"a"}},
		{"lines", "a\nb\nc", []string{"a\nb\nc"}},
		{"blank line", "a\n\nb", []string{"a\n\n", "b"}},
		{"blank lines", "a\n\n\n\nb\n\n", []string{"a\n\n\n\n", "b\n\n"}},
		{"line ends of two characters", "a\r\n\r\nb", []string{"a\r\n\r\n", "b"}},
		{"full", full + "\nb\nc", []string{full + "\n", "b\nc"}},
		{"long line", full + full + "b", []string{full + full + "b"}},
		{"starts with a feed", "\n\na", []string{"\n\n", "a"}},
	} {
		if diff := cmp.Diff(c.want, views.Blocks(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// However a text arrives, the blocks are those of the whole.
func TestBlocksDoNotDependOnThePieces(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "é", "\n", "\n\n", "\r\n", strings.Repeat("w", 900), " "}
	for range 500 {
		var text strings.Builder
		for range r.IntN(40) + 1 {
			text.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		whole := text.String()
		blocks := []string{""}
		var s views.Splitter
		for rest := whole; rest != ""; {
			n := r.IntN(len(rest)) + 1
			parts := s.Split(rest[:n])
			blocks[len(blocks)-1] += parts[0]
			blocks = append(blocks, parts[1:]...)
			rest = rest[n:]
		}
		if diff := cmp.Diff(views.Blocks(whole), blocks); diff != "" {
			t.Fatalf("%q (-whole +pieces):\n%s", whole, diff)
		}
		if got := strings.Join(blocks, ""); got != whole {
			t.Fatalf("joined to %q, want %q", got, whole)
		}
	}
}
