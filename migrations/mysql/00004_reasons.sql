-- Each statement can be repeated: a migration that was cut off runs again.
-- +goose Up
SET @ddl = IF(
  (SELECT COUNT(*) FROM information_schema.columns
   WHERE table_schema = DATABASE() AND table_name = 'tx_editoractions_run' AND column_name = 'prompt') = 0,
  'ALTER TABLE tx_editoractions_run ADD COLUMN prompt VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE ddl FROM @ddl;
EXECUTE ddl;
DEALLOCATE PREPARE ddl;
SET @ddl = IF(
  (SELECT COUNT(*) FROM information_schema.columns
   WHERE table_schema = DATABASE() AND table_name = 'tx_editoractions_decision' AND column_name = 'category') = 0,
  'ALTER TABLE tx_editoractions_decision ADD COLUMN category VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '''', ADD COLUMN prompt VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT '''', ADD KEY decided (decided_at, run_id, turn)',
  'DO 0');
PREPARE ddl FROM @ddl;
EXECUTE ddl;
DEALLOCATE PREPARE ddl;
