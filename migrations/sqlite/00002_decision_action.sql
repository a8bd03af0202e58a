-- +goose Up
ALTER TABLE tx_editoractions_decision ADD COLUMN action TEXT NOT NULL DEFAULT '';
ALTER TABLE tx_editoractions_decision ADD COLUMN language TEXT NOT NULL DEFAULT '';
