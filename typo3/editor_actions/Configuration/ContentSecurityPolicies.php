<?php

declare(strict_types=1);

use EditorActions\EditorActions\ServiceAddress;
use TYPO3\CMS\Core\Security\ContentSecurityPolicy\Directive;
use TYPO3\CMS\Core\Security\ContentSecurityPolicy\Mutation;
use TYPO3\CMS\Core\Security\ContentSecurityPolicy\MutationCollection;
use TYPO3\CMS\Core\Security\ContentSecurityPolicy\MutationMode;
use TYPO3\CMS\Core\Security\ContentSecurityPolicy\Scope;
use TYPO3\CMS\Core\Security\ContentSecurityPolicy\UriValue;
use TYPO3\CMS\Core\Type\Map;

// A path of this host needs no exception: the backend frames its own origin.
$origin = ServiceAddress::fromSettings()->origin();

return $origin === '' ? Map::fromEntries() : Map::fromEntries([
    Scope::backend(),
    new MutationCollection(new Mutation(MutationMode::Extend, Directive::FrameSrc, new UriValue($origin))),
]);
