import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible } from '../lib/axe.mjs';

test('a broken picture and a foreign one get the same answer', async ({ as }) => {
  const page = await as('editor');
  const answers = [];
  for (const uid of ['4711', '0', '9223372036854775808']) {
    const res = await page.goto(`/actions?table=sys_file&uid=${uid}`);
    expect(res.status()).toBe(404);
    answers.push(await res.text());
  }
  expect(new Set(answers).size).toBe(1);
});

test('an alternative text cannot be emptied by accident', async ({ as }) => {
  const name = 'Stuhl am Fenster.jpg';
  const editor = await as('editor');
  await openFile(editor, ['Stillleben'], name);
  await startOn(editor, name);
  const admin = await as('admin');
  await admin.goto(new URL(editor.url()).pathname);
  const area = admin.getByRole('textbox', { name: 'Alternative text to store' });
  await area.fill('');
  await admin.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByRole('alert')).toBeFocused();
  await expect(area).toHaveAttribute('aria-invalid', 'true');
  await expectAccessible(admin, 'card with an error at a field');
  await admin.getByRole('checkbox', { name: 'The picture is decorative' }).check();
  await admin.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByText('Approved and stored')).toBeVisible();
});

test('a form that outlived its session keeps what was typed', async ({ as }) => {
  const name = 'verschneites Tal.JPG';
  const page = await as('editor');
  await openFile(page, ['Landschaften', 'Winter'], name);
  const offer = page.getByRole('article', { name: 'Suggest alternative text' });
  await offer.getByRole('textbox').fill('A long thought');
  await page.context().clearCookies();
  await offer.getByRole('button').click();
  await expect(page.getByRole('heading', { level: 1, name: 'You are signed out' })).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveValue('A long thought');
  await expectAccessible(page, 'signed out with typed text');
});
