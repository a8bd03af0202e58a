-- +goose Up
CREATE TABLE tx_editoractions_token (
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  be_user INTEGER NOT NULL,
  secret_hash TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at DATETIME NOT NULL,
  expires_at DATETIME NOT NULL,
  last_used_at DATETIME NULL,
  revoked_at DATETIME NULL,
  PRIMARY KEY (id)
);
CREATE UNIQUE INDEX tx_editoractions_token_secret ON tx_editoractions_token (secret_hash);
CREATE INDEX tx_editoractions_token_owner ON tx_editoractions_token (be_user, created_at);
