-- +goose Up
CREATE TABLE tx_editoractions_run (
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  phase TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  action TEXT NOT NULL,
  tool TEXT NOT NULL,
  subject_table TEXT NOT NULL,
  subject_uid INTEGER NOT NULL,
  storage_uid INTEGER NOT NULL DEFAULT 0,
  initiator INTEGER NOT NULL,
  original_user INTEGER NOT NULL DEFAULT 0,
  language TEXT NOT NULL DEFAULT '',
  configuration TEXT NOT NULL DEFAULT '',
  vendor TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  idempotency_key TEXT NOT NULL,
  turn INTEGER NOT NULL DEFAULT 0,
  redraws INTEGER NOT NULL DEFAULT 0,
  digest TEXT NOT NULL DEFAULT '',
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_owner TEXT NOT NULL DEFAULT '',
  lease_expires DATETIME NULL,
  created_at DATETIME NOT NULL,
  queued_at DATETIME NOT NULL,
  started_at DATETIME NULL,
  waiting_since DATETIME NULL,
  settled_at DATETIME NULL,
  source_sha256 TEXT NOT NULL DEFAULT '',
  written INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  message TEXT NOT NULL,
  error_kind TEXT NOT NULL DEFAULT '',
  stale INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 1,
  sealed_key BLOB NULL,
  sealed_state BLOB NULL,
  PRIMARY KEY (id)
);

CREATE TABLE tx_editoractions_event (
  run_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  turn INTEGER NOT NULL DEFAULT 0,
  duration_ms INTEGER NOT NULL DEFAULT 0,
  created_at DATETIME NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
);

CREATE TABLE tx_editoractions_decision (
  run_id TEXT NOT NULL,
  turn INTEGER NOT NULL,
  digest TEXT NOT NULL,
  verb TEXT NOT NULL,
  subject_table TEXT NOT NULL,
  subject_uid INTEGER NOT NULL,
  decided_by INTEGER NOT NULL,
  decided_name TEXT NOT NULL DEFAULT '',
  original_user INTEGER NOT NULL DEFAULT 0,
  decided_at DATETIME NOT NULL,
  reason TEXT NOT NULL,
  edited INTEGER NOT NULL DEFAULT 0,
  self_approved INTEGER NOT NULL DEFAULT 0,
  history_uid INTEGER NOT NULL DEFAULT 0,
  model TEXT NOT NULL DEFAULT '',
  fields TEXT NOT NULL,
  PRIMARY KEY (run_id, turn)
);

CREATE UNIQUE INDEX tx_editoractions_run_idempotency ON tx_editoractions_run (initiator, idempotency_key);
CREATE INDEX tx_editoractions_run_work ON tx_editoractions_run (status, queued_at, id);
CREATE INDEX tx_editoractions_run_lease ON tx_editoractions_run (status, lease_expires, id);
CREATE INDEX tx_editoractions_run_waiting ON tx_editoractions_run (status, waiting_since, id);
CREATE INDEX tx_editoractions_run_settled ON tx_editoractions_run (settled_at, id);
CREATE INDEX tx_editoractions_run_own_waiting ON tx_editoractions_run (initiator, status, waiting_since, id);
CREATE INDEX tx_editoractions_run_own_settled ON tx_editoractions_run (initiator, settled_at, id);
CREATE INDEX tx_editoractions_run_subject ON tx_editoractions_run (subject_table, subject_uid, status);
CREATE INDEX tx_editoractions_decision_subject ON tx_editoractions_decision (subject_table, subject_uid, decided_at);
