// Package upstream is what the adapters share on the network side: an HTTP
// client that goes only where it may, one bounded exchange with a model API,
// and the reading of every way in which such an API says no.
//
// Bodies and messages of an upstream are looked at in memory and dropped. What
// leaves the package is a [providers.Error], which holds fixed values only.
package upstream
