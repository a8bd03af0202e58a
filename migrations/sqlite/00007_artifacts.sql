-- +goose Up
CREATE TABLE tx_editoractions_artifact (
  id TEXT NOT NULL,
  version_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  scope_hash TEXT NOT NULL,
  acting_user INTEGER NOT NULL,
  source TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  mime TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  size INTEGER NOT NULL,
  title TEXT NOT NULL,
  live INTEGER NULL,
  created_at DATETIME NOT NULL,
  revoked_at DATETIME NULL,
  sealed_key BLOB NULL,
  sealed_body BLOB NULL,
  PRIMARY KEY (id)
);
-- NULL is unlike NULL: of the live ones there is one, of the revoked ones any number.
CREATE UNIQUE INDEX tx_editoractions_artifact_same ON tx_editoractions_artifact (scope_hash, sha256, source, live);
CREATE INDEX tx_editoractions_artifact_run ON tx_editoractions_artifact (run_id, id);
