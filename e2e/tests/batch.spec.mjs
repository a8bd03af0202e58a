import { expect, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

test('several files are planned and started together', async ({ as }) => {
  const editor = await as('editor');
  await editor.goto('/files');
  await editor.getByRole('main').getByRole('navigation').getByRole('link', { name: 'Stillleben', exact: true }).click();
  await expectAccessible(editor, 'a folder with boxes');
  for (const name of ['Leselampe.jpg', 'Obstschale.jpg']) {
    const box = editor.getByRole('checkbox', { name: new RegExp(name) });
    await box.focus();
    await editor.keyboard.press('Space');
    await expect(box).toBeChecked();
  }
  await editor.getByRole('button', { name: 'Suggest texts for the selected ones' }).press('Enter');
  await expect(editor.getByRole('heading', { level: 2, name: '2 files will be started' })).toBeVisible();
  await expectAccessible(editor, 'the plan of a batch');
  await editor.getByText('Change the list of files').click();
  const numbers = editor.getByRole('textbox', { name: /by their numbers/ });
  await numbers.fill((await numbers.inputValue()) + ' logo 999999 ' + (await numbers.inputValue()));
  await editor.getByRole('button', { name: 'Plan again' }).click();
  await expect(editor.getByText('Not the number of a file')).toBeVisible();
  await expect(editor.getByText('Not available for this action')).toBeVisible();
  await expect(editor.getByText('Named twice')).toHaveCount(2);
  await expectAccessible(editor, 'a plan with skipped files');
  await editor.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(editor, 'the plan of a batch');
  await editor.getByRole('textbox', { name: /should the text/ }).or(editor.getByLabel(/optional/)).first().fill('For the spring catalogue');
  await editor.getByRole('button', { name: 'Start 2 runs' }).press('Enter');
  await expect(editor).toHaveURL(/\/batch\/[0-9a-f-]{36}$/);
  await expect(editor.getByText('2 of 2 are through. 2 wait for a decision.').first()).toBeVisible({ timeout: 20_000 });
  await expectNoSidewaysScroll(editor, 'a batch');
  await expectAccessible(editor, 'a batch that is through');
  await editor.getByRole('link', { name: 'To the review' }).press('Enter');
  await expect(editor.getByRole('link', { name: /Suggest alternative text: (Leselampe|Obstschale)/ })).toHaveCount(2);
});
