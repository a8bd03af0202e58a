-- MySQL commits every CREATE TABLE at once: IF NOT EXISTS lets a migration that was cut off run again.
-- +goose Up
CREATE TABLE IF NOT EXISTS tx_editoractions_notice (
  run_id     CHAR(36)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  turn       INT         NOT NULL,
  kind       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  status     VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  waits      SMALLINT    NOT NULL DEFAULT 0,
  attempts   INT         NOT NULL DEFAULT 0,
  next_try   DATETIME(6) NOT NULL,
  created_at DATETIME(6) NOT NULL,
  ended_at   DATETIME(6) NULL,
  PRIMARY KEY (run_id, turn, kind),
  KEY due (status, next_try),
  KEY card (waits, created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;

CREATE TABLE IF NOT EXISTS tx_editoractions_digest (
  user_uid    INT UNSIGNED NOT NULL,
  period      DATETIME(6)  NOT NULL,
  ended       SMALLINT     NOT NULL DEFAULT 1,
  failed      SMALLINT     NOT NULL DEFAULT 0,
  attempts    INT          NOT NULL DEFAULT 0,
  next_try    DATETIME(6)  NOT NULL,
  told_period DATETIME(6)  NULL,
  told_newest DATETIME(6)  NULL,
  PRIMARY KEY (user_uid)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
