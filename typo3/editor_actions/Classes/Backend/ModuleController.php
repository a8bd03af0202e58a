<?php

declare(strict_types=1);

namespace EditorActions\EditorActions\Backend;

use EditorActions\EditorActions\ServiceAddress;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use TYPO3\CMS\Backend\Template\ModuleTemplateFactory;
use TYPO3\CMS\Core\Localization\LanguageService;
use TYPO3\CMS\Core\Page\PageRenderer;

/**
 * TYPO3's module page around a page of the service.
 */
final class ModuleController
{
    private const LABELS = 'LLL:EXT:editor_actions/Resources/Private/Language/locallang.xlf:';

    public function __construct(
        private readonly ModuleTemplateFactory $moduleTemplateFactory,
        private readonly PageRenderer $pageRenderer,
    ) {
    }

    public function handleRequest(ServerRequestInterface $request): ResponseInterface
    {
        $title = $this->languageService()->sL(self::LABELS . 'module.title');
        $this->pageRenderer->addCssFile('EXT:editor_actions/Resources/Public/Css/module.css');
        $view = $this->moduleTemplateFactory->create($request);
        $view->setTitle($title);
        $view->assignMultiple([
            'address' => $this->address($request->getQueryParams()),
            'title' => $title,
        ]);
        return $view->renderResponse('Module');
    }

    /**
     * @param array<string, mixed> $query
     */
    private function address(array $query): string
    {
        $service = ServiceAddress::fromSettings();
        $file = $query['file'] ?? null;
        if (is_string($file) && preg_match('/^[1-9][0-9]{0,9}$/D', $file) === 1) {
            return $service->file((int)$file);
        }
        return ($query['page'] ?? null) === 'review' ? $service->review() : $service->files();
    }

    private function languageService(): LanguageService
    {
        return $GLOBALS['LANG'];
    }
}
