import { expect, openFile, test } from '../lib/demo.mjs';

test('the whole path works without script', async ({ as }) => {
  const name = 'Blumenwiese.jpg';
  const editor = await as('editor', { javaScriptEnabled: false });
  await openFile(editor, ['Landschaften', 'Frühling'], name);
  await editor.getByRole('button', { name: `Suggest alternative text for ${name}` }).click();
  await expect(async () => {
    if (/\/runs\//.test(editor.url())) await editor.getByRole('link', { name: 'Reload' }).click();
    expect(editor.url()).toMatch(/\/review\//);
  }).toPass({ timeout: 60_000 });

  const admin = await as('admin', { javaScriptEnabled: false });
  await admin.goto(new URL(editor.url()).pathname);
  await admin.getByRole('textbox', { name: 'Alternative text to store' }).fill('A meadow full of flowers');
  await admin.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByText('Approved and stored')).toBeVisible();
  await expect(admin.locator(':focus')).toContainText('Approved and stored');
});
