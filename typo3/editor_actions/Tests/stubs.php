<?php

// The few classes of TYPO3 that the extension touches, reduced to what it uses of
// them, with the names, methods and types of 12.4 to 14.3.

declare(strict_types=1);

namespace Psr\Http\Message {
    interface ResponseInterface
    {
    }

    interface ServerRequestInterface
    {
        public function getQueryParams(): array;
    }
}

namespace TYPO3\CMS\Core\Utility {
    class GeneralUtility
    {
        /** @var array<string, object> */
        public static array $instances = [];

        public static function makeInstance(string $class): object
        {
            return self::$instances[$class] ?? new $class();
        }
    }
}

namespace TYPO3\CMS\Core\Configuration {
    class ExtensionConfiguration
    {
        public static mixed $serviceUrl = null;

        public function get(string $extension, string $path = ''): mixed
        {
            if (self::$serviceUrl === null) {
                throw new \RuntimeException('not configured');
            }
            return self::$serviceUrl;
        }
    }
}

namespace TYPO3\CMS\Core\Localization {
    class LanguageService
    {
        public function sL(string $key): string
        {
            return $key;
        }
    }
}

namespace TYPO3\CMS\Core\Page {
    class PageRenderer
    {
        public array $css = [];

        public function addCssFile(string $file): void
        {
            $this->css[] = $file;
        }
    }
}

namespace TYPO3\CMS\Core\Information {
    class Typo3Version
    {
        public static int $major = 13;

        public function getMajorVersion(): int
        {
            return self::$major;
        }
    }
}

namespace TYPO3\CMS\Core\Imaging\IconProvider {
    class SvgIconProvider
    {
    }
}

namespace TYPO3\CMS\Core\Resource {
    class Folder
    {
    }

    class File
    {
        public function __construct(private int $uid, private string $mimeType = 'image/jpeg', private bool $readable = true)
        {
        }

        public function getUid(): int
        {
            return $this->uid;
        }

        public function getMimeType(): string
        {
            return $this->mimeType;
        }

        public function isImage(): bool
        {
            return true; // of PDF, too: it is among TYPO3's imagefile_ext
        }

        public function checkActionPermission(string $action): bool
        {
            return $action === 'read' && $this->readable;
        }
    }

    class ResourceFactory
    {
        public array $known = [];

        public function retrieveFileOrFolderObject(string $identifier): File|Folder|null
        {
            $found = $this->known[$identifier] ?? null;
            if ($found instanceof \Throwable) {
                throw $found;
            }
            return $found;
        }
    }
}

namespace TYPO3\CMS\Backend\Routing {
    class UriBuilder
    {
        public function buildUriFromRoute(string $name, array $parameters = []): \Stringable
        {
            return new class('/typo3/module/' . $name . '?' . http_build_query($parameters)) implements \Stringable {
                public function __construct(private string $uri)
                {
                }

                public function __toString(): string
                {
                    return $this->uri;
                }
            };
        }
    }
}

namespace TYPO3\CMS\Backend\ContextMenu\ItemProviders {
    class AbstractProvider
    {
        protected $table = '';
        protected $identifier = '';
        protected $disabledItems = [];

        public function __construct()
        {
        }

        public function setContext(string $table, string $identifier, string $context = ''): void
        {
            $this->table = $table;
            $this->identifier = $identifier;
        }

        protected function initDisabledItems()
        {
            $this->disabledItems = $GLOBALS['disabledItems'] ?? [];
        }

        protected function prepareItems(array $configuration): array
        {
            $items = [];
            foreach ($configuration as $name => $item) {
                if ($this->canRender($name, $item['type'])) {
                    $items[$name] = $item + ['additionalAttributes' => $this->getAdditionalAttributes($name)];
                }
            }
            return $items;
        }

        protected function canRender(string $itemName, string $type): bool
        {
            return true;
        }

        protected function getAdditionalAttributes(string $itemName): array
        {
            return [];
        }
    }
}

namespace TYPO3\CMS\Backend\Form {
    abstract class AbstractNode
    {
        protected array $data = [];

        public function setData(array $data): void
        {
            $this->data = $data;
        }

        abstract public function render(): array;
    }
}

namespace TYPO3\CMS\Backend\Template {
    class ModuleTemplate implements \Psr\Http\Message\ResponseInterface
    {
        public array $assigned = [];
        public string $template = '';

        public function setTitle(string $title): void
        {
        }

        public function assignMultiple(array $values): void
        {
            $this->assigned = $values;
        }

        public function renderResponse(string $template): \Psr\Http\Message\ResponseInterface
        {
            $this->template = $template;
            return $this;
        }
    }

    class ModuleTemplateFactory
    {
        public function create(\Psr\Http\Message\ServerRequestInterface $request): ModuleTemplate
        {
            return new ModuleTemplate();
        }
    }
}

namespace TYPO3\CMS\Core\Type {
    class Map
    {
        public array $entries = [];

        public static function fromEntries(array ...$entries): self
        {
            $map = new self();
            $map->entries = $entries;
            return $map;
        }
    }
}

namespace TYPO3\CMS\Core\Security\ContentSecurityPolicy {
    enum Directive: string
    {
        case FrameSrc = 'frame-src';
    }

    enum MutationMode: string
    {
        case Extend = 'extend';
    }

    class Scope
    {
        public static function backend(): self
        {
            return new self();
        }
    }

    class UriValue
    {
        public function __construct(public string $value)
        {
        }
    }

    class Mutation
    {
        public array $sources;

        public function __construct(public MutationMode $mode, public Directive $directive, UriValue ...$sources)
        {
            $this->sources = $sources;
        }
    }

    class MutationCollection
    {
        public array $mutations;

        public function __construct(Mutation ...$mutations)
        {
            $this->mutations = $mutations;
        }
    }
}

namespace TYPO3\CMS\Core\Database {
    class ConnectionPool
    {
        /** @var list<string>|null null: the database does not answer */
        public ?array $tables = [];

        public function getConnectionForTable(string $table): self
        {
            return $this;
        }

        public function createSchemaManager(): self
        {
            return $this;
        }

        public function tablesExist(array $names): bool
        {
            if ($this->tables === null) {
                throw new \RuntimeException('no database');
            }
            return array_diff($names, $this->tables) === [];
        }
    }
}

namespace TYPO3\CMS\Core\Database\Event {
    final class AlterTableDefinitionStatementsEvent
    {
        public function __construct(private array $sqlData)
        {
        }

        public function getSqlData(): array
        {
            return $this->sqlData;
        }

        public function setSqlData(array $sqlData): void
        {
            $this->sqlData = $sqlData;
        }
    }
}
