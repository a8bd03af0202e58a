import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

const pages = [
  ['sign-in', '/sign-in', null],
  ['files', '/files', 'editor'],
  ['files of a folder', '/files?folder=1%3A%2FLandschaften%2F', 'editor'],
  ['files without alternative text', '/files?folder=1%3A%2FLandschaften%2F&missing=1', 'editor'],
  ['a file', '/files/1', 'editor'],
  ['a file one may only look at', '/files/1', 'readonly'],
  ['files of which one is missing', '/files?folder=1%3A%2Fuser_upload%2F', 'editor'],
  ['a missing file', '/files/39', 'editor'],
  ['a file that is no picture', '/files/23', 'editor'],
  ['actions', '/actions', 'editor'],
  ['actions for a file', '/actions?table=sys_file&uid=1', 'editor'],
  ['not available', '/actions?table=sys_file&uid=4711', 'editor'],
  ['empty inbox', '/review', 'readonly'],
  ['explain', '/explain', 'admin'],
  ['explained', '/explain?user=editor&file=1&action=suggest_alternative_text', 'admin'],
  ['models', '/models', 'admin'],
  ['not allowed', '/explain', 'editor'],
  ['no such page', '/nowhere', 'editor'],
  ['not available, in German', '/actions?table=sys_file&uid=4711', 'reviewer'],
  ['files in German', '/files?folder=1%3A%2FLandschaften%2F', 'reviewer'],
];

for (const [name, path, who] of pages) {
  test(`axe finds nothing, and nothing scrolls sideways: ${name}`, async ({ as }) => {
    const page = await as(who);
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expectAccessible(page, name);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page, name);
    await expectAccessible(page, `${name} at 320 pixels`, ['light']); // the colours were looked at above
  });
}

test('a refused sign-in says so and keeps the name', async ({ as }) => {
  const page = await as(null);
  await page.goto('/sign-in');
  await page.getByLabel('User name').fill('editor');
  await page.getByLabel('Password').fill('wrong');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('do not match');
  await expect(page.getByLabel('User name')).toHaveValue('editor');
  await expect(page.getByLabel('Password')).toBeFocused();
  await expectAccessible(page, 'refused sign-in');
});

test('card and run at 320 pixels and in forced colours', async ({ as }) => {
  const name = 'Tasse Kaffee.jpg';
  const editor = await as('editor', { viewport: { width: 320, height: 640 } });
  await openFile(editor, ['Stillleben'], name);
  await startOn(editor, name, { action: 'Suggest title and description' });
  await expectNoSidewaysScroll(editor, 'card');
  await expectAccessible(editor, 'card at 320 pixels');
  const admin = await as('admin', { viewport: { width: 320, height: 640 }, forcedColors: 'active' });
  await admin.goto(new URL(editor.url()).pathname);
  await expectNoSidewaysScroll(admin, 'card to decide');
  await admin.getByRole('button', { name: /^Reject/ }).click();
  await admin.getByRole('link', { name: new RegExp(name) }).first().click();
  await expect(admin.getByText('Rejected by Administrator', { exact: true })).toBeVisible();
  await expectNoSidewaysScroll(admin, 'run');
  await expectAccessible(admin, 'rejected run at 320 pixels');
});
