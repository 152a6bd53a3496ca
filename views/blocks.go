package views

// fullBlock is how many bytes a block holds before a single line feed ends it.
const fullBlock = 2 << 10

// A Splitter cuts a growing text into blocks. A browser lays out only the
// block that grows, so the cost of a new piece does not depend on the length
// of the text.
//
// A block ends after a blank line, or after a line feed once it holds 2 KiB.
// What is said about a block depends on the text alone, not on how it was cut
// into pieces: the joined blocks are the text. The zero Splitter is at the
// start of a text.
type Splitter struct {
	size  int // bytes of the block so far
	feeds int // line feeds at its end
}

// Split takes the next piece. The first result continues the block before it
// (it may be empty); each of the others starts a new block.
func (s *Splitter) Split(text string) []string {
	parts := []string{""}
	start := 0
	for i := range len(text) {
		c := text[i]
		if c != '\n' && c != '\r' && (s.feeds > 1 || s.feeds == 1 && s.size >= fullBlock) {
			parts[len(parts)-1] = text[start:i]
			parts = append(parts, "")
			start, s.size, s.feeds = i, 0, 0
		}
		s.size++
		switch c {
		case '\n':
			s.feeds++
		case '\r': // a part of a line end, or nothing
		default:
			s.feeds = 0
		}
	}
	parts[len(parts)-1] = text[start:]
	return parts
}

// Blocks cuts a whole text. An empty text has none.
func Blocks(text string) []string {
	if text == "" {
		return nil
	}
	var s Splitter
	return s.Split(text)
}
