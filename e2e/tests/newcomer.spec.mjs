import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible } from '../lib/axe.mjs';

const file = 'IMG_1235.JPG';
const text = 'Ein Segelboot auf einem ruhigen See';

test('from a click to an approved text, by two people', async ({ as }) => {
  const editor = await as('editor');
  await expect(editor.getByRole('heading', { level: 1 })).toBeVisible();
  await openFile(editor, ['Landschaften'], file);
  await expect(editor.getByText('No alternative text')).toBeVisible();
  await startOn(editor, file, { note: 'It is our rental boat.' });

  await test.step('the editor lands on the card and may not approve it', async () => {
    await expect(editor.getByRole('heading', { level: 1, name: file })).toBeVisible();
    await expect(editor.getByRole('img', { name: `Preview of ${file}` })).toBeVisible();
    await expect(editor.getByText('another person has to approve it')).toBeVisible();
    await expect(editor.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
    await expectAccessible(editor, 'card of the editor');
  });

  const reviewer = await as('reviewer');
  await test.step('the reviewer finds, edits and approves it, in German', async () => {
    await reviewer.getByRole('link', { name: /Prüfen/ }).click();
    await expectAccessible(reviewer, 'inbox with a proposal');
    await reviewer.getByRole('link', { name: new RegExp(file) }).first().click();
    await expect(reviewer.getByText('It is our rental boat.')).toBeVisible();
    await expect(reviewer.getByText('Jetzt gespeichert')).toBeVisible();
    await expectAccessible(reviewer, 'card of the reviewer');
    await reviewer.getByRole('textbox', { name: 'Alternativtext, der gespeichert wird' }).fill(text);
    await reviewer.getByRole('button', { name: `Freigeben und speichern für ${file}` }).click();
    const message = reviewer.getByText('Freigegeben und gespeichert');
    await expect(message).toBeVisible();
    await expect(reviewer.locator(':focus')).toContainText('Freigegeben und gespeichert');
    await expectAccessible(reviewer, 'inbox after a decision');
  });

  await test.step('the file shows the text and who approved it', async () => {
    await openFile(editor, ['Landschaften'], file);
    await expect(editor.getByRole('definition').filter({ hasText: text }).first()).toBeVisible();
    await expect(editor.getByText('Approved by Redaktion (Prüfung)', { exact: true })).toBeVisible();
    await expect(editor.getByText('Edited', { exact: true })).toBeVisible();
    await expectAccessible(editor, 'file after the approval');
  });
});

test('a proposal is sent back with a reason, then rejected', async ({ as }) => {
  const name = 'Obstschale.jpg';
  const editor = await as('editor');
  await openFile(editor, ['Stillleben'], name);
  await startOn(editor, name);

  const reviewer = await as('reviewer');
  await reviewer.goto(new URL(editor.url()).pathname);
  await test.step('asking again needs a reason', async () => {
    await reviewer.getByRole('button', { name: /Das Modell noch einmal fragen/ }).click();
    await expect(reviewer.getByRole('alert')).toBeFocused();
    await expect(reviewer.getByRole('alert')).toContainText('Sagen Sie, was anders sein soll');
    await expectAccessible(reviewer, 'card with an error');
    await reviewer.getByRole('alert').getByRole('link').click();
    await expect(reviewer.getByRole('textbox', { name: 'Was soll anders sein?' })).toBeFocused();
  });
  await reviewer.getByRole('textbox', { name: 'Was soll anders sein?' }).fill('Welches Obst ist es?');
  await reviewer.getByRole('button', { name: /Das Modell noch einmal fragen/ }).click();
  await expect(reviewer).toHaveURL(/\/review\//, { timeout: 60_000 });
  await expect(reviewer.getByText('Vorschlag 2').first()).toBeVisible();
  await expect(reviewer.getByText('1 früherer Vorschlag')).toBeVisible();
  await reviewer.getByRole('button', { name: /^Ablehnen/ }).click();
  await expect(reviewer.getByText('Es wurde nichts gespeichert')).toBeVisible();

  await openFile(editor, ['Stillleben'], name);
  await expect(editor.getByText('Rejected by Redaktion (Prüfung)', { exact: true })).toBeVisible();
});

test('whoever is second is told so', async ({ as }) => {
  const name = 'Leselampe.jpg';
  const editor = await as('editor');
  await openFile(editor, ['Stillleben'], name);
  await startOn(editor, name);
  const path = new URL(editor.url()).pathname;
  const [first, second] = [await as('reviewer'), await as('admin')];
  await first.goto(path);
  await second.goto(path);
  await first.getByRole('button', { name: /^Ablehnen/ }).click();
  await expect(first.getByText(/Abgelehnt:/)).toBeVisible();
  await second.getByRole('button', { name: /^Approve/ }).click();
  await expect(second.getByText(/has rejected this already/)).toBeVisible();
  await expectAccessible(second, 'run that somebody else decided');
});
