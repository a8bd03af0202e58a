-- +goose Up
ALTER TABLE tx_editoractions_run ADD COLUMN prompt TEXT NOT NULL DEFAULT '';
ALTER TABLE tx_editoractions_decision ADD COLUMN category TEXT NOT NULL DEFAULT '';
ALTER TABLE tx_editoractions_decision ADD COLUMN prompt TEXT NOT NULL DEFAULT '';
CREATE INDEX tx_editoractions_decision_decided ON tx_editoractions_decision (decided_at, run_id, turn);
