package models

import (
	"sync"
	"time"
)

// A memoryKey is a key that a person entered for this process alone.
type memoryKey struct {
	key     Secret
	host    string // it is used for no other
	savedAt time.Time
}

// memoryKeys are the keys that are kept nowhere else. They go with the
// process. The zero value has none; its methods are safe for use by multiple
// goroutines.
type memoryKeys struct {
	mu   sync.Mutex
	keys map[string]memoryKey // by provider
}

func (m *memoryKeys) put(provider string, k memoryKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.keys == nil {
		m.keys = make(map[string]memoryKey)
	}
	m.keys[provider] = k
}

func (m *memoryKeys) drop(provider string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.keys, provider)
}

func (m *memoryKeys) get(provider, host string) (memoryKey, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k, there := m.keys[provider]
	return k, there && k.host == host
}
