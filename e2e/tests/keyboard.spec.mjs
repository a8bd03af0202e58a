import { expect, test } from '../lib/demo.mjs';

const file = 'Mondaufgang.jpg';

/** tabTo presses Tab until the element with this role and name has the focus. */
async function tabTo(page, role, name, most = 120) {
  const wanted = page.getByRole(role, { name }).first();
  await expect(wanted).toBeVisible();
  for (let i = 0; i < most; i++) {
    if (await wanted.evaluate((el) => el === document.activeElement)) {
      const seen = await wanted.evaluate((el) => {
        const box = el.getBoundingClientRect();
        const hit = document.elementFromPoint(box.left + Math.min(box.width / 2, 20), box.top + box.height / 2);
        return hit !== null && (el === hit || el.contains(hit) || hit.contains(el));
      });
      expect(seen, `${role} "${name}" has the focus but is covered`).toBe(true);
      return wanted;
    }
    await page.keyboard.press('Tab');
  }
  throw new Error(`${role} "${name}" cannot be reached with Tab`);
}

test('start, review, edit and approve without a mouse', async ({ as }) => {
  const editor = await as(null);
  await editor.goto('/files');
  await expect(editor.getByLabel('User name')).toBeFocused();
  await editor.keyboard.type('editor');
  await editor.keyboard.press('Tab');
  await editor.keyboard.type('editor-demo-2026');
  await editor.keyboard.press('Enter');
  await expect(editor.getByRole('heading', { level: 1 })).toBeVisible();

  await test.step('the skip link comes first and works', async () => {
    await editor.keyboard.press('Tab');
    await expect(editor.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await editor.keyboard.press('Enter');
    await expect(editor.getByRole('main')).toBeFocused();
  });
  await tabTo(editor, 'link', 'Landschaften');
  await editor.keyboard.press('Enter');
  await expect(editor.getByRole('heading', { level: 1, name: 'Landschaften' })).toBeVisible();
  await tabTo(editor, 'link', 'Nacht');
  await editor.keyboard.press('Enter');
  await expect(editor.getByRole('heading', { level: 1, name: 'Nacht' })).toBeVisible();
  await tabTo(editor, 'link', file);
  await editor.keyboard.press('Enter');
  await tabTo(editor, 'button', `Suggest alternative text for ${file}`);
  await editor.keyboard.press('Enter');
  await expect(editor).toHaveURL(/\/review\//, { timeout: 60_000 });

  const reviewer = await as('admin');
  await reviewer.goto(new URL(editor.url()).pathname);
  const area = await tabTo(reviewer, 'textbox', 'Alternative text to store');
  await reviewer.keyboard.press('ControlOrMeta+a');
  await reviewer.keyboard.type('A full moon over a lake');
  await expect(area).toHaveValue('A full moon over a lake');
  await expect(reviewer.getByText(/^23 /)).toBeVisible(); // the counter follows

  await test.step('Return on a checkbox decides nothing', async () => {
    await tabTo(reviewer, 'checkbox', 'The picture is decorative');
    await reviewer.keyboard.press('Enter');
    await expect(reviewer).toHaveURL(/\/review\/[0-9a-f-]+$/);
    await expect(area).toHaveValue('A full moon over a lake');
  });
  await tabTo(reviewer, 'button', `Approve and store for ${file}`);
  await reviewer.keyboard.press('Enter');
  await expect(reviewer.locator(':focus')).toContainText('Approved and stored');
  await reviewer.keyboard.press('Tab');
  await expect(reviewer.getByRole('link', { name: 'Show the file' })).toBeFocused();
  await reviewer.keyboard.press('Enter');
  await expect(reviewer.getByText('Approved by Administrator', { exact: true })).toBeVisible();
});
