import { expect, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

test('a free request becomes proposals, one is sent back, and the assistant ends', async ({ as }) => {
  const editor = await as('editor');
  await editor.goto('/files');
  await editor.getByRole('main').getByRole('navigation').getByRole('link', { name: 'Stillleben', exact: true }).click();
  await editor.getByRole('link', { name: 'Ask the assistant about this folder' }).press('Enter');
  await expect(editor.getByRole('heading', { level: 1 })).toContainText('Stillleben');
  await expectAccessible(editor, 'the request form');
  await editor.getByRole('button', { name: 'Start' }).click();
  await expect(editor.getByRole('textbox', { name: 'What do you want?' })).toBeFocused(); // required
  await editor.getByRole('textbox', { name: 'What do you want?' }).fill('Describe the pictures that have no text yet, same tone.');
  await editor.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(editor, 'the request form');
  await editor.setViewportSize({ width: 1280, height: 800 });
  await editor.getByRole('button', { name: 'Start' }).press('Enter');
  await expect(editor.getByRole('heading', { level: 2, name: 'Proposals' })).toBeVisible({ timeout: 30_000 });
  const proposals = editor.getByRole('region', { name: 'Proposals' }).getByRole('listitem');
  await expect(proposals).toHaveCount(3);
  await expectAccessible(editor, 'an assistant run that waits');
  await editor.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(editor, 'an assistant run that waits');
  await editor.setViewportSize({ width: 1280, height: 800 });

  const admin = await as('admin');
  await admin.goto('/review');
  const card = admin.getByRole('region', { name: 'Waiting for a decision' }).getByRole('link', { name: /^Proposal of the assistant/ });
  await expect(card).toHaveCount(3);
  await card.first().click();
  await expect(admin.getByText('Describe the pictures that have no text yet, same tone.')).toBeVisible();
  await expectAccessible(admin, 'a card of the assistant');
  await admin.getByRole('combobox', { name: 'What is wrong?' }).selectOption({ label: 'Misses what matters' });
  await admin.getByRole('button', { name: /^Ask the model again/ }).click();
  await expect(admin.getByText(/^Sent back: /)).toBeVisible();
  for (let left = 2; left > 0; left--) {
    await admin.goto('/review');
    await card.first().click();
    await admin.getByRole('button', { name: /^Approve and store/ }).click();
    await expect(admin.getByText(/Approved and stored/)).toBeVisible();
  }
  await expect(async () => {
    await admin.goto('/review');
    await expect(card).toHaveCount(1, { timeout: 500 });
  }).toPass({ timeout: 30_000 });
  await card.first().click();
  await admin.getByRole('button', { name: /^Approve and store/ }).click();
  await expect(editor.getByRole('main').getByRole('paragraph').filter({ hasText: 'The assistant is done.' })).toBeVisible({ timeout: 30_000 });
  await expect(editor.getByText(/Demonstration: I am done/)).toBeVisible();
  await expect(proposals).toHaveCount(4);
  await expectAccessible(editor, 'an assistant run that is done');
});

test('the assistant in German', async ({ as }) => {
  const reviewer = await as('reviewer');
  await reviewer.goto('/files');
  await reviewer.getByRole('link', { name: 'Den Assistenten zu diesem Ordner fragen' }).click();
  await expect(reviewer.getByRole('textbox', { name: 'Was wünschen Sie?' })).toBeVisible();
  await expectAccessible(reviewer, 'the request form in German');
});
