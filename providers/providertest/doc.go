// Package providertest is a model API that plays a script, for tests of
// adapters. It serves exact bytes over real connections, so that stalls,
// resets and half answers are what they are in production, and it is strict:
// a request that the script does not foresee, or an answer that nobody asked
// for, fails the test.
package providertest
