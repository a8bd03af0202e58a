// Package architecture holds no code, only the test that keeps the arrows of
// ARCHITECTURE.md true.
package architecture
