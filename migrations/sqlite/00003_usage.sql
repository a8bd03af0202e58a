-- +goose Up
CREATE TABLE tx_editoractions_usage (
  day TEXT NOT NULL,
  configuration TEXT NOT NULL,
  model TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cached_input_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  unpriced INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, configuration, model)
);
CREATE TABLE tx_editoractions_budget (
  day TEXT NOT NULL,
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  requests INTEGER NOT NULL DEFAULT 0,
  tokens INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, scope, name)
);
ALTER TABLE tx_editoractions_run ADD COLUMN cached_input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tx_editoractions_run ADD COLUMN reasoning_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tx_editoractions_run ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tx_editoractions_run ADD COLUMN unpriced INTEGER NOT NULL DEFAULT 0;
