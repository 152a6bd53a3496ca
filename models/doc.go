// Package models keeps what Countersign stores: journals and what follows from
// them, people and their sessions, providers and their keys, agents and notes.
// It is the only package that knows GORM and SQL.
//
// [Open] takes the data directory for this process alone. Reads go to a pool
// of connections that can't write; every write goes through one queue to one
// connection (see write_queue.go). The stores ([Journal], [Conversations],
// [Users], [Invitations], [Sessions], [Providers], [Agents], [Notes]) are small
// values that share the [DB]; their methods are safe for use by multiple
// goroutines.
//
// A row that is not there, or not there for the person who asks, is
// [ErrNotFound]. Errors of the database never hold stored values.
package models
