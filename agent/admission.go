package agent

import "sync"

// An admission bounds how many runs are worked on at once, by person and by
// provider. Those that do not fit wait in the order in which they came; one
// that waits holds up none whose person and provider have room. Its methods are
// safe for use by multiple goroutines.
type admission struct {
	mu                     sync.Mutex
	perPerson, perProvider int
	people                 map[UserID]int
	providers              map[string]int
	waiting                []*ticket // oldest first
}

// A ticket is a run's place in the line, and then its leave to be worked on.
type ticket struct {
	person   UserID
	provider string
	admitted chan struct{} // closed when its turn has come
}

func newAdmission(perPerson, perProvider int) *admission {
	return &admission{
		perPerson: perPerson, perProvider: perProvider,
		people: make(map[UserID]int), providers: make(map[string]int),
	}
}

// resize changes the bounds.
func (a *admission) resize(perPerson, perProvider int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.perPerson, a.perProvider = perPerson, perProvider
	a.admit()
}

// enter joins the end of the line. The caller leaves with the ticket, admitted
// or not.
func (a *admission) enter(person UserID, provider string) *ticket {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := &ticket{person: person, provider: provider, admitted: make(chan struct{})}
	a.waiting = append(a.waiting, t)
	a.admit()
	return t
}

// leave gives a place back.
func (a *admission) leave(t *ticket) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, w := range a.waiting {
		if w == t {
			a.waiting = append(a.waiting[:i], a.waiting[i+1:]...)
			return
		}
	}
	if a.people[t.person]--; a.people[t.person] == 0 {
		delete(a.people, t.person)
	}
	if a.providers[t.provider]--; a.providers[t.provider] == 0 {
		delete(a.providers, t.provider)
	}
	a.admit()
}

// admit lets in whoever fits, oldest first.
func (a *admission) admit() {
	rest := a.waiting[:0]
	for _, t := range a.waiting {
		if a.people[t.person] >= a.perPerson || a.providers[t.provider] >= a.perProvider {
			rest = append(rest, t)
			continue
		}
		a.people[t.person]++
		a.providers[t.provider]++
		close(t.admitted)
	}
	clear(a.waiting[len(rest):])
	a.waiting = rest
}
