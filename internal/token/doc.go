// Package token owns personal access tokens: how a program that is no browser
// proves that it acts for a backend user.
//
// A token is 256 random bits behind a prefix that the catalogue of secrets knows.
// The database holds its SHA-256 alone, so a copy of the table opens nothing, and it
// is shown once, when it is made. It has a name, scopes and an end, and can be revoked.
//
// Check answers whose token a text is, on every call anew: revoked, expired, unknown,
// and a user who may not sign in or use the service give the one ErrInvalid. The user
// comes with the rights of this moment; a token never gives more than they have.
package token
