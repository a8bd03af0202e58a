-- +goose Up
CREATE TABLE tx_editoractions_opened (
  viewer INTEGER NOT NULL,
  run_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  clean INTEGER NOT NULL DEFAULT 0,
  opened_at DATETIME NOT NULL,
  PRIMARY KEY (viewer, run_id)
);
CREATE INDEX tx_editoractions_opened_at ON tx_editoractions_opened (opened_at);
