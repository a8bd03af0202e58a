import { expect, test } from '../lib/demo.mjs';

test('a German user gets German pages', async ({ as }) => {
  const page = await as('reviewer');
  for (const [path, heading] of [
    ['/actions', 'Aktionen'],
    ['/review', 'Prüfen'],
    ['/actions?table=sys_file&uid=4711', 'Nicht verfügbar'],
  ]) {
    await page.goto(path);
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible();
  }
});

test('the sign-in form follows the browser', async ({ as }) => {
  const page = await as(null, { locale: 'de-DE' });
  await page.goto('/sign-in');
  await expect(page.getByRole('heading', { level: 1, name: 'Anmelden' })).toBeVisible();
});
