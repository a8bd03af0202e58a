-- The ALTER is one statement, so it happens as a whole; the question before it
-- lets a migration that was cut off run again. MySQL knows no ADD COLUMN IF NOT EXISTS.
-- +goose Up
SET @ddl = IF(
  (SELECT COUNT(*) FROM information_schema.columns
   WHERE table_schema = DATABASE() AND table_name = 'tx_editoractions_decision' AND column_name = 'action') = 0,
  'ALTER TABLE tx_editoractions_decision ADD COLUMN action VARCHAR(64) NOT NULL DEFAULT '''', ADD COLUMN language VARCHAR(16) NOT NULL DEFAULT ''''',
  'DO 0');
PREPARE ddl FROM @ddl;
EXECUTE ddl;
DEALLOCATE PREPARE ddl;
