import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

test('an earlier text is put back from the history, with the keyboard', async ({ as }) => {
  const name = 'Leselampe.jpg';
  const editor = await as('editor');
  await openFile(editor, ['Stillleben'], name);
  await startOn(editor, name);
  const address = editor.url();
  const reviewer = await as('reviewer');
  await reviewer.goto(new URL(address).pathname);
  await reviewer.getByRole('textbox', { name: /Alternativtext/ }).fill('Eine Leselampe, die es hier nicht gibt');
  await reviewer.getByRole('button', { name: /^Freigeben/ }).click();
  await expect(reviewer.getByText(/Freigegeben und gespeichert/)).toBeVisible();

  await openFile(editor, ['Stillleben'], name);
  const restore = editor.getByRole('button', { name: /^Restore the text from before/ }).first(); // the newest
  await expect(restore).toHaveAccessibleName(/Approved by .+/);
  await expectAccessible(editor, 'a file whose text can be restored');
  await restore.focus();
  await editor.keyboard.press('Enter');
  await expect(editor).toHaveURL(/\/review\//);
  await expect(editor.getByRole('heading', { level: 1 })).toContainText('Restore earlier text');
  await expect(editor.getByText('No model was asked')).toBeVisible();
  await expect(editor.getByRole('button', { name: /Ask the model again/ })).toHaveCount(0);
  await expectAccessible(editor, 'card of a run without a model');
  await editor.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(editor, 'card of a run without a model');

  await reviewer.goto(new URL(editor.url()).pathname);
  await expect(reviewer.getByText('Früherer Text', { exact: true })).toBeVisible();
  await expectAccessible(reviewer, 'card of a run without a model, in German');
  await reviewer.getByRole('button', { name: /^Freigeben/ }).click();
  await expect(reviewer.getByText(/Freigegeben und gespeichert/)).toBeVisible();
  await openFile(editor, ['Stillleben'], name);
  await expect(editor.getByText('Earlier text restored')).toBeVisible();
  await editor.getByRole('link', { name: /Show the run/ }).first().click();
  await expect(editor.getByRole('listitem').filter({ hasText: 'The model looks' })).toHaveCount(0);
  await expectAccessible(editor, 'run without a model');
});
