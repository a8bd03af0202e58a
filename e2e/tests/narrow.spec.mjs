import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectNoSidewaysScroll } from '../lib/axe.mjs';

/** tops are the upper edges of everything in the first row of the header, each once. */
const tops = (page) => page.locator('.docheader-navigation').evaluate((row) => {
  const boxes = [...row.querySelectorAll('.brand, .mainnav a, .who, .btn')].map((el) => el.getBoundingClientRect());
  return [...new Set(boxes.map((b) => Math.round((b.top + b.bottom) / 2 / 8)))].length;
});

test('an administrator\'s header has two rows on a phone and one on a tablet', async ({ as }) => {
  const admin = await as('admin', { viewport: { width: 390, height: 800 } });
  await admin.goto('/models');
  expect(await tops(admin)).toBeLessThanOrEqual(2);
  await expect(admin.getByRole('link', { name: 'Editor actions' })).toHaveCount(1); // heard, if not seen
  await admin.setViewportSize({ width: 768, height: 1024 });
  expect(await tops(admin)).toBe(1);
  await expect(admin.getByText('Administrator', { exact: true })).toBeVisible();
});

test('a long name without blanks stays in its page', async ({ as }) => {
  const page = await as('editor', { viewport: { width: 320, height: 640 } });
  for (const path of ['/files/1', '/actions?table=sys_file&uid=1', '/files?folder=1%3A%2FLandschaften%2F']) {
    await page.goto(path);
    await page.evaluate(() => {
      const words = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
      while (words.nextNode()) words.currentNode.data = words.currentNode.data.replace(/Bergsee im Abendlicht/g, 'Aufnahme_'.repeat(20));
    });
    await expectNoSidewaysScroll(page, `${path} with a long name`);
  }
});

test('folders are named once on a phone', async ({ as }) => {
  const page = await as('editor', { viewport: { width: 390, height: 800 } });
  await page.goto('/files?folder=1%3A%2FLandschaften%2F');
  await expect(page.getByRole('main').getByRole('link', { name: 'Winter', exact: true })).toHaveCount(1);
});

test('a printed card has its picture and its texts, and nothing to press', async ({ as }) => {
  const name = 'Overnight stays per month.png';
  const page = await as('editor');
  await openFile(page, ['Charts and figures'], name);
  await startOn(page, name);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('img', { name: `Preview of ${name}` })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('Stored now')).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('navigation')).toHaveCount(0);
});
