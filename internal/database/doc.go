// Package database opens TYPO3's database by its DSN, brings the service's own
// tables up to date and counts queries for tests and benchmarks.
//
// It knows dialects and connections, no table. Only rooms that own queries use
// the *gorm.DB it returns.
package database
