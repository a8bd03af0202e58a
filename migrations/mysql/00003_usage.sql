-- Each statement can be repeated: a migration that was cut off runs again.
-- +goose Up
CREATE TABLE IF NOT EXISTS tx_editoractions_usage (
  day CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  configuration VARCHAR(64) NOT NULL,
  model VARCHAR(128) NOT NULL,
  requests BIGINT NOT NULL DEFAULT 0,
  input_tokens BIGINT NOT NULL DEFAULT 0,
  output_tokens BIGINT NOT NULL DEFAULT 0,
  cached_input_tokens BIGINT NOT NULL DEFAULT 0,
  reasoning_tokens BIGINT NOT NULL DEFAULT 0,
  cost_micros BIGINT NOT NULL DEFAULT 0,
  unpriced BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (day, configuration, model)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tx_editoractions_budget (
  day CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scope VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  name VARCHAR(64) NOT NULL,
  requests BIGINT NOT NULL DEFAULT 0,
  tokens BIGINT NOT NULL DEFAULT 0,
  cost_micros BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (day, scope, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

SET @ddl = IF(
  (SELECT COUNT(*) FROM information_schema.columns
   WHERE table_schema = DATABASE() AND table_name = 'tx_editoractions_run' AND column_name = 'cost_micros') = 0,
  'ALTER TABLE tx_editoractions_run ADD COLUMN cached_input_tokens BIGINT NOT NULL DEFAULT 0, ADD COLUMN reasoning_tokens BIGINT NOT NULL DEFAULT 0, ADD COLUMN cost_micros BIGINT NOT NULL DEFAULT 0, ADD COLUMN unpriced SMALLINT NOT NULL DEFAULT 0',
  'DO 0');
PREPARE ddl FROM @ddl;
EXECUTE ddl;
DEALLOCATE PREPARE ddl;
