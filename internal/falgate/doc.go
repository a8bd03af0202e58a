// Package falgate answers whether a backend user may read a file or describe it,
// and opens its bytes. It decides from the tables as TYPO3 does (storage, file
// mounts, permissions, deny pattern), and is stricter where that costs nobody:
// storage allow-list, excluded folders, online Local storages with a sound base
// path, no way out of it by ".." or a symbolic link.
//
// A refusal to a person is always ErrNotAvailable, whatever the reason (P3), and
// costs the same queries; Reason gives the operator's word. See DESIGN.md.
package falgate
