-- +goose Up
CREATE TABLE tx_editoractions_notice (
  run_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  waits INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try DATETIME NOT NULL,
  created_at DATETIME NOT NULL,
  ended_at DATETIME NULL,
  PRIMARY KEY (run_id, turn, kind)
);
CREATE INDEX tx_editoractions_notice_due ON tx_editoractions_notice (status, next_try);
CREATE INDEX tx_editoractions_notice_card ON tx_editoractions_notice (waits, created_at);
CREATE TABLE tx_editoractions_digest (
  user_uid INTEGER NOT NULL,
  period DATETIME NOT NULL,
  ended INTEGER NOT NULL DEFAULT 1,
  failed INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_try DATETIME NOT NULL,
  told_period DATETIME NULL,
  told_newest DATETIME NULL,
  PRIMARY KEY (user_uid)
);
