// Package probe tries a connection step by step, so that an admin learns not
// only that it does not work but where it ends (contract D3).
//
// A step passes only if something was seen that proves it: the network says
// how far a request came, the answer says the rest. What was not seen is
// skipped, and steps that an address has no use for, such as the name of
// 127.0.0.1, are left out.
package probe
