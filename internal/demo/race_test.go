//go:build race

package demo_test

// raced tells that the race detector makes painting twenty times slower.
const raced = true
