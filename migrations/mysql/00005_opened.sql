-- +goose Up
CREATE TABLE IF NOT EXISTS tx_editoractions_opened (
  viewer INT UNSIGNED NOT NULL,
  run_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  digest VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  clean SMALLINT NOT NULL DEFAULT 0,
  opened_at DATETIME(6) NOT NULL,
  PRIMARY KEY (viewer, run_id),
  KEY opened (opened_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
