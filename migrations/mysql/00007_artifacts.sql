-- NULL is unlike NULL: of the live ones there is one, of the revoked ones any number.
-- +goose Up
CREATE TABLE IF NOT EXISTS tx_editoractions_artifact (
  id          CHAR(36)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  version_id  CHAR(36)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  run_id      CHAR(36)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  scope_hash  CHAR(64)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  acting_user INT UNSIGNED   NOT NULL,
  source      VARCHAR(32)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  sha256      CHAR(64)       CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  mime        VARCHAR(32)    CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  width       INT            NOT NULL,
  height      INT            NOT NULL,
  size        INT            NOT NULL,
  title       TEXT           NOT NULL,
  live        SMALLINT       NULL,
  created_at  DATETIME(6)    NOT NULL,
  revoked_at  DATETIME(6)    NULL,
  sealed_key  VARBINARY(255) NULL,
  sealed_body LONGBLOB       NULL,
  PRIMARY KEY (id),
  UNIQUE KEY same (scope_hash, sha256, source, live),
  KEY run (run_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
