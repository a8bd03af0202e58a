import { expect, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';
import { connect } from '../lib/agent.mjs';

test('an editor makes an access token, a program uses it, the editor revokes it', async ({ as, demo }) => {
  const page = await as('editor', { permissions: ['clipboard-read', 'clipboard-write'] });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tokens' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Access tokens' })).toBeVisible();
  await expectAccessible(page, 'access tokens');

  await page.getByLabel('Name').fill('My program');
  await page.getByLabel('Look at files and propose texts').check();
  await page.getByLabel('Valid for').selectOption('7');
  await page.getByRole('button', { name: 'Make the token' }).click();
  await expect(page.getByRole('heading', { name: 'Token made: My program' })).toBeFocused();
  const secret = await page.getByLabel('Access token', { exact: true }).inputValue();
  expect(secret).toMatch(/^eact_[0-9a-f]{64}$/);
  expect(await page.getByLabel('Address of the server').inputValue()).toBe(`${demo.address}/mcp`);
  await page.getByRole('button', { name: 'Copy for Access token' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await expect(page.getByRole('status')).toHaveText('Copied');
  await expectAccessible(page, 'a token that was made');
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page, 'a token that was made');
  await page.setViewportSize({ width: 1280, height: 720 });

  const client = await connect(demo, 'http', secret);
  expect((await client.listTools()).tools.length).toBeGreaterThan(3);

  await page.goto('/tokens');
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Revoke for My program' }).click();
  await expect(page.getByText('The token is revoked. Its next call is refused.')).toBeVisible();
  await expect(page.getByRole('row', { name: /My program/ })).toContainText('Revoked');
  await expect(client.listTools()).rejects.toThrow();
  await client.close();
});

test('a page that is loaded again makes no second token', async ({ as }) => {
  const page = await as('editor');
  await page.goto('/tokens');
  await page.getByLabel('Name').fill('Loaded twice');
  await page.getByRole('button', { name: 'Make the token' }).click();
  const first = await page.getByLabel('Access token', { exact: true }).inputValue();
  await page.reload();
  const second = await page.getByLabel('Access token', { exact: true }).inputValue();
  expect(second).not.toBe(first);
  await expect(page.getByRole('row', { name: /Loaded twice/ })).toHaveCount(1);
});

test('German, dark and narrow', async ({ as }) => {
  const page = await as('reviewer', { colorScheme: 'dark', viewport: { width: 320, height: 640 } });
  await page.goto('/tokens');
  await page.getByLabel('Name').fill('Mein Programm mit einem langen Namen, der umbrechen muss');
  await page.getByLabel('Nur Dateien ansehen').check();
  await page.getByRole('button', { name: 'Token erstellen' }).click();
  await expect(page.getByText('Es wird nur dieses eine Mal gezeigt.')).toBeVisible();
  await expectAccessible(page, 'a token that was made, German and dark');
  await expectNoSidewaysScroll(page, 'a token that was made, German and narrow');
});
