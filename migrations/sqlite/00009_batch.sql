-- +goose Up
ALTER TABLE tx_editoractions_run ADD COLUMN batch TEXT NOT NULL DEFAULT '';
CREATE INDEX tx_editoractions_run_batch ON tx_editoractions_run (batch, id);
