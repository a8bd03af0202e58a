<?php

declare(strict_types=1);

namespace EditorActions\EditorActions;

use TYPO3\CMS\Core\Configuration\ExtensionConfiguration;
use TYPO3\CMS\Core\Utility\GeneralUtility;

/**
 * Where the service is: a path of this host, or an address with https.
 */
final class ServiceAddress
{
    public const SHIPPED = '/editor-actions';

    public function __construct(private readonly string $base)
    {
    }

    public static function fromSettings(): self
    {
        try {
            $setting = GeneralUtility::makeInstance(ExtensionConfiguration::class)->get('editor_actions', 'serviceUrl');
        } catch (\Throwable) {
            $setting = self::SHIPPED; // not configured yet
        }
        return self::fromText(is_string($setting) ? $setting : '');
    }

    /**
     * What is neither a path nor an https address becomes the shipped path.
     */
    public static function fromText(string $text): self
    {
        $text = rtrim(trim($text), '/');
        $path = '(?:/[A-Za-z0-9._~-]+)*';
        $host = 'https://[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?';
        if ($text === '' || preg_match('#^(?:' . $host . ')?' . $path . '$#D', $text) !== 1 || str_contains($text, '/.')) {
            return new self(self::SHIPPED);
        }
        return new self($text);
    }

    public function files(): string
    {
        return $this->base . '/files';
    }

    public function file(int $uid): string
    {
        return $this->base . '/files/' . max(0, $uid);
    }

    public function review(): string
    {
        return $this->base . '/review';
    }

    /**
     * The origin for a content security policy; empty for a path of this host.
     */
    public function origin(): string
    {
        if (!str_starts_with($this->base, 'https://')) {
            return '';
        }
        return 'https://' . explode('/', substr($this->base, 8), 2)[0];
    }
}
