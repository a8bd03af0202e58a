-- The statement can be repeated: a migration that was cut off runs again.
-- +goose Up
SET @ddl = IF(
  (SELECT COUNT(*) FROM information_schema.columns
   WHERE table_schema = DATABASE() AND table_name = 'tx_editoractions_run' AND column_name = 'parent') = 0,
  'ALTER TABLE tx_editoractions_run ADD COLUMN parent CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '''', ADD COLUMN folder VARCHAR(600) NOT NULL DEFAULT '''', ADD KEY parent (parent, status)',
  'DO 0');
PREPARE ddl FROM @ddl;
EXECUTE ddl;
DEALLOCATE PREPARE ddl;
