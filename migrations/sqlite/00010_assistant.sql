-- +goose Up
ALTER TABLE tx_editoractions_run ADD COLUMN parent TEXT NOT NULL DEFAULT '';
ALTER TABLE tx_editoractions_run ADD COLUMN folder TEXT NOT NULL DEFAULT '';
CREATE INDEX tx_editoractions_run_parent ON tx_editoractions_run (parent, status);
