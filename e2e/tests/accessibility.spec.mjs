import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

const pages = [
  ['sign-in', '/sign-in', null],
  ['files', '/files', 'editor'],
  ['files of a folder', '/files?folder=1%3A%2FLandschaften%2F', 'editor'],
  ['files without alternative text', '/files?folder=1%3A%2FLandschaften%2F&missing=1', 'editor'],
  ['a file', '/files/1', 'editor'],
  ['a file one may only look at', '/files/1', 'readonly'],
  ['actions', '/actions', 'editor'],
  ['actions for a file', '/actions?table=sys_file&uid=1', 'editor'],
  ['not available', '/actions?table=sys_file&uid=4711', 'editor'],
  ['empty inbox', '/review', 'readonly'],
  ['explain', '/explain', 'admin'],
  ['explained', '/explain?user=editor&file=1&action=suggest_alternative_text', 'admin'],
  ['not allowed', '/explain', 'editor'],
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
    await expectAccessible(page, `${name} at 320 pixels`);
  });
}

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
  await expect(admin.getByText('Rejected by Administrator')).toBeVisible();
  await expectNoSidewaysScroll(admin, 'run');
  await expectAccessible(admin, 'rejected run at 320 pixels');
});
