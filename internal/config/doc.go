// Package config reads the settings: the shipped file, a site's own file over
// it, the environment over both, and TYPO3's own settings file for what none of
// them says.
//
// It is strict: an unknown key is an error at every level. It reports every
// problem at once, each with file, line, key and what is allowed, and never
// quotes a secret. Settings that are dangerous together do not load; unwise ones
// load with a Warning. A running service follows changes of the file (Live); a
// broken file keeps the old settings.
//
// Loader is the way in; Load and Watch are Loader without TYPO3's file. The room
// holds typed values and no behaviour: rooms that obey a setting read it through
// a func() *Settings, so that they see a change.
package config
