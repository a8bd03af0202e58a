import AxeBuilder from '@axe-core/playwright';
import { expect, test } from '@playwright/test';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** expectAccessible runs axe with every WCAG rule, none switched off, in both colour schemes unless told otherwise. */
export async function expectAccessible(page, what = page.url(), colorSchemes = ['light', 'dark']) {
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    test.info().annotations.push({ type: 'axe', description: '1' });
    const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
    const found = violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => `${n.target} – ${n.failureSummary}`).join('\n  ')}`);
    expect(found, `${what}, ${colorScheme}`).toEqual([]);
  }
}

/** expectNoSidewaysScroll holds the page against WCAG 1.4.10 at its present width. */
export async function expectNoSidewaysScroll(page, what = page.url()) {
  const [needed, given] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  expect(needed, `${what} is wider than its window`).toBeLessThanOrEqual(given);
}
