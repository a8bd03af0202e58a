#
# The tables of the editor actions, as the service makes them (migrations/mysql).
# They are declared so that TYPO3's database analyser leaves them alone. The service
# alone makes, reads and writes them; Classes/Database/ServiceTables.php sees to it
# that TYPO3 never creates one of them.
#
# Every text column names its collation: TYPO3 takes the connection's for the others.
# TYPO3's parser knows "CHARACTER SET", not "CHARSET".
#
CREATE TABLE tx_editoractions_run (
  id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  phase VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reason VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  action VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  tool VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  subject_table VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  subject_uid BIGINT UNSIGNED NOT NULL,
  storage_uid INT UNSIGNED NOT NULL DEFAULT 0,
  initiator INT UNSIGNED NOT NULL,
  original_user INT UNSIGNED NOT NULL DEFAULT 0,
  language VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  configuration VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  vendor VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  model VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  idempotency_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  turn INT NOT NULL DEFAULT 0,
  redraws INT NOT NULL DEFAULT 0,
  digest VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  attempts INT NOT NULL DEFAULT 0,
  lease_owner VARCHAR(80) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  lease_expires DATETIME(6) NULL,
  created_at DATETIME(6) NOT NULL,
  queued_at DATETIME(6) NOT NULL,
  started_at DATETIME(6) NULL,
  waiting_since DATETIME(6) NULL,
  settled_at DATETIME(6) NULL,
  source_sha256 VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  written SMALLINT NOT NULL DEFAULT 0,
  input_tokens BIGINT NOT NULL DEFAULT 0,
  output_tokens BIGINT NOT NULL DEFAULT 0,
  message TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  error_kind VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  stale SMALLINT NOT NULL DEFAULT 0,
  version BIGINT NOT NULL DEFAULT 1,
  sealed_key VARBINARY(255) NULL,
  sealed_state LONGBLOB NULL,
  cached_input_tokens BIGINT NOT NULL DEFAULT 0,
  reasoning_tokens BIGINT NOT NULL DEFAULT 0,
  cost_micros BIGINT NOT NULL DEFAULT 0,
  unpriced SMALLINT NOT NULL DEFAULT 0,
  prompt VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  batch CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  parent CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  folder VARCHAR(600) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  PRIMARY KEY (id),
  UNIQUE KEY idempotency (initiator, idempotency_key),
  KEY work (status, queued_at, id),
  KEY lease (status, lease_expires, id),
  KEY waiting (status, waiting_since, id),
  KEY settled (settled_at, id),
  KEY own_waiting (initiator, status, waiting_since, id),
  KEY own_settled (initiator, settled_at, id),
  KEY subject (subject_table, subject_uid, status),
  KEY batch (batch, id),
  KEY parent (parent, status)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_event (
  run_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sequence INT NOT NULL,
  kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  turn INT NOT NULL DEFAULT 0,
  duration_ms BIGINT NOT NULL DEFAULT 0,
  created_at DATETIME(6) NOT NULL,
  payload LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  PRIMARY KEY (run_id, sequence)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_decision (
  run_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  turn INT NOT NULL,
  digest VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  verb VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  subject_table VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  subject_uid BIGINT UNSIGNED NOT NULL,
  decided_by INT UNSIGNED NOT NULL,
  decided_name VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  original_user INT UNSIGNED NOT NULL DEFAULT 0,
  decided_at DATETIME(6) NOT NULL,
  reason TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  edited SMALLINT NOT NULL DEFAULT 0,
  self_approved SMALLINT NOT NULL DEFAULT 0,
  history_uid INT UNSIGNED NOT NULL DEFAULT 0,
  model VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  fields LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  action VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  language VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '',
  category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  prompt VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '',
  PRIMARY KEY (run_id, turn),
  KEY decided (decided_at, run_id, turn),
  KEY subject (subject_table, subject_uid, decided_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_opened (
  viewer INT UNSIGNED NOT NULL,
  run_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  digest VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  clean SMALLINT NOT NULL DEFAULT 0,
  opened_at DATETIME(6) NOT NULL,
  PRIMARY KEY (viewer, run_id),
  KEY opened (opened_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_usage (
  day CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  configuration VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  model VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  requests BIGINT NOT NULL DEFAULT 0,
  input_tokens BIGINT NOT NULL DEFAULT 0,
  output_tokens BIGINT NOT NULL DEFAULT 0,
  cached_input_tokens BIGINT NOT NULL DEFAULT 0,
  reasoning_tokens BIGINT NOT NULL DEFAULT 0,
  cost_micros BIGINT NOT NULL DEFAULT 0,
  unpriced BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (day, configuration, model)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_budget (
  day CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scope VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  requests BIGINT NOT NULL DEFAULT 0,
  tokens BIGINT NOT NULL DEFAULT 0,
  cost_micros BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (day, scope, name)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_artifact (
  id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  run_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scope_hash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  acting_user INT UNSIGNED NOT NULL,
  source VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sha256 CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  mime VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  width INT NOT NULL,
  height INT NOT NULL,
  size INT NOT NULL,
  title TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  live SMALLINT NULL,
  created_at DATETIME(6) NOT NULL,
  revoked_at DATETIME(6) NULL,
  sealed_key VARBINARY(255) NULL,
  sealed_body LONGBLOB NULL,
  PRIMARY KEY (id),
  UNIQUE KEY same (scope_hash, sha256, source, live),
  KEY run (run_id, id)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_token (
  id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
  be_user INT UNSIGNED NOT NULL,
  secret_hash CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scopes VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  created_at DATETIME(6) NOT NULL,
  expires_at DATETIME(6) NOT NULL,
  last_used_at DATETIME(6) NULL,
  revoked_at DATETIME(6) NULL,
  PRIMARY KEY (id),
  UNIQUE KEY secret (secret_hash),
  KEY owner (be_user, created_at)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_notice (
  run_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  turn INT NOT NULL,
  kind VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  waits SMALLINT NOT NULL DEFAULT 0,
  attempts INT NOT NULL DEFAULT 0,
  next_try DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  ended_at DATETIME(6) NULL,
  PRIMARY KEY (run_id, turn, kind),
  KEY card (waits, created_at),
  KEY due (status, next_try)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_digest (
  user_uid INT UNSIGNED NOT NULL,
  period DATETIME(6) NOT NULL,
  ended SMALLINT NOT NULL DEFAULT 1,
  failed SMALLINT NOT NULL DEFAULT 0,
  attempts INT NOT NULL DEFAULT 0,
  next_try DATETIME(6) NOT NULL,
  told_period DATETIME(6) NULL,
  told_newest DATETIME(6) NULL,
  PRIMARY KEY (user_uid)
) ENGINE=InnoDB DEFAULT CHARACTER SET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE tx_editoractions_migration (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT,
  version_id BIGINT NOT NULL,
  is_applied TINYINT(1) NOT NULL,
  tstamp DATETIME NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (id)
);
