package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"countersign/models"
)

// maxPasswordLine is more than a password may have.
const maxPasswordLine = 4 << 10

// password reads the password for somebody: from a file, from standard input,
// or from the terminal without showing it.
func (p *Program) password(ctx context.Context, file, email string) (models.Secret, error) {
	switch {
	case file == "-":
		return firstLine(p.Stdin)
	case file != "":
		f, err := os.Open(file)
		if err != nil {
			return models.Secret{}, err
		}
		defer f.Close()
		return firstLine(f)
	case !isTerminal(p.Stdin):
		return models.Secret{}, Usage(errors.New("there is no terminal to ask for the password; give --password-file FILE, or - for standard input"))
	}
	first, err := p.ask(ctx, "New password for "+plain(email)+": ")
	if err != nil {
		return models.Secret{}, err
	}
	again, err := p.ask(ctx, "Once more: ")
	if err == nil && first.Reveal() != again.Reveal() {
		err = errors.New("the two passwords differ")
	}
	return first, err
}

func firstLine(r io.Reader) (models.Secret, error) {
	text, err := bufio.NewReader(io.LimitReader(r, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return models.Secret{}, fmt.Errorf("read the password: %w", err)
	}
	return models.NewSecret(strings.TrimRight(text, "\r\n")), nil
}

// ask reads a line from the terminal while it shows nothing.
func (p *Program) ask(ctx context.Context, prompt string) (models.Secret, error) {
	restore, err := hideInput(p.Stdin)
	if err != nil {
		return models.Secret{}, err
	}
	defer restore()
	fmt.Fprint(p.Stderr, prompt)
	defer fmt.Fprintln(p.Stderr)
	type answer struct {
		text models.Secret
		err  error
	}
	// An interrupt has to restore the terminal, so the reading can't be waited
	// for; the process ends next.
	answered := make(chan answer, 1)
	go func() {
		text, err := firstLine(p.Stdin)
		answered <- answer{text, err}
	}()
	select {
	case a := <-answered:
		return a.text, a.err
	case <-ctx.Done():
		return models.Secret{}, ctx.Err()
	}
}
