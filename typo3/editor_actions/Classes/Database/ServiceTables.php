<?php

declare(strict_types=1);

namespace EditorActions\EditorActions\Database;

use TYPO3\CMS\Core\Database\ConnectionPool;
use TYPO3\CMS\Core\Database\Event\AlterTableDefinitionStatementsEvent;

/**
 * Keeps TYPO3 from creating the service's tables. ext_tables.sql declares them so that
 * the database analyser leaves them alone, but TYPO3 cannot make them as the service
 * needs them (no fractions of a second, and no first row in the table of migrations).
 * So what is not there yet is not declared either.
 */
final class ServiceTables
{
    public function __construct(private readonly ConnectionPool $connectionPool)
    {
    }

    public function __invoke(AlterTableDefinitionStatementsEvent $event): void
    {
        $event->setSqlData(array_map(
            fn (mixed $sql): mixed => is_string($sql) ? $this->existingOnly($sql) : $sql,
            $event->getSqlData(),
        ));
    }

    private function existingOnly(string $sql): string
    {
        return (string)preg_replace_callback(
            '/^CREATE TABLE (tx_editoractions_[a-z_]+)\b[^;]*;/m',
            fn (array $match): string => $this->exists($match[1]) ? $match[0] : '',
            $sql,
        );
    }

    private function exists(string $table): bool
    {
        try {
            return $this->connectionPool->getConnectionForTable($table)->createSchemaManager()->tablesExist([$table]);
        } catch (\Throwable) {
            return false; // better not declared than created
        }
    }
}
