import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

/** look holds a page against axe in both schemes, wide and at 320 pixels. */
async function look(page, what) {
  await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
  await expectAccessible(page, what);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page, what);
  await expectAccessible(page, `${what} at 320 pixels`, ['light']); // the colours were looked at above
  await page.setViewportSize(size);
}

/** begin starts an action with a note and stays wherever that leads. */
async function begin(page, folders, name, note, action = 'Suggest alternative text') {
  await openFile(page, folders, name);
  const offer = page.getByRole('article', { name: action });
  await offer.getByRole('textbox').fill(note);
  await offer.getByRole('button', { name: `${action} for ${name}` }).click();
  await expect(page).toHaveURL(/\/(runs|review)\//);
}

test('a run in work can be watched, left and cancelled', async ({ as }) => {
  const page = await as('editor');
  await begin(page, ['Landschaften', 'Nacht'], 'Sternenhimmel über dem Wald.jpg', 'slow');
  await expect(page.getByRole('listitem').filter({ hasText: 'in progress' })).toHaveCount(1);
  await look(page, 'run in work');
  await page.goto('/review');
  await expect(page.getByRole('region', { name: 'In work' })).toBeVisible();
  await look(page, 'inbox with a run in work');
  await page.goBack();
  await page.getByRole('button', { name: 'Cancel this run' }).click();
  await expect(page.locator(':focus')).toContainText('The run was cancelled');
  await look(page, 'cancelled run');
});

for (const [note, sentence] of [
  ['decline', 'The model made no proposal'],
  ['twice', 'The model asked for something this run does not allow'],
  ['wrong uid', 'The model asked for something this run does not allow'],
  ['empty answer', 'gave no usable answer'],
]) {
  test(`a model that misbehaves is told in words: ${note}`, async ({ as }) => {
    const page = await as('editor');
    await begin(page, ['Karten & Pläne'], 'Felder von oben.jpg', note);
    const outcome = page.locator('#outcome');
    await expect(outcome).toContainText(sentence, { timeout: 60_000 });
    await expect(outcome).toContainText('Nothing was stored');
    await look(page, `run after "${note}"`);
  });
}

test('a text beyond the limit is shown, explained and cannot be stored as it is', async ({ as }) => {
  const name = 'Felder von oben.jpg';
  const editor = await as('editor');
  await openFile(editor, ['Karten & Pläne'], name);
  await startOn(editor, name, { note: 'demo: too long' });
  const admin = await as('admin');
  await admin.goto(new URL(editor.url()).pathname);
  await expect(admin.getByText('It cannot be approved like this')).toBeVisible();
  await look(admin, 'card with a refusal');
  await admin.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByRole('alert')).toBeFocused();
  await look(admin, 'card with a refused approval');
  await admin.getByRole('textbox', { name: 'Alternative text to store' }).fill('Fields and hedges, seen from above');
  await admin.getByRole('button', { name: /^Approve/ }).click();
  await expect(admin.getByText('Approved and stored')).toBeVisible();
});

test('an own run needs somebody else, and can be rejected', async ({ as }) => {
  const name = 'Äpfel (3 Stück).jpg';
  const admin = await as('admin');
  await openFile(admin, ['Stillleben'], name);
  await startOn(admin, name, { note: 'decorative' });
  await expect(admin.getByText('You started this run, so another person has to approve it')).toBeVisible();
  await expect(admin.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
  await look(admin, 'own card that proposes an empty text');
  await admin.getByRole('button', { name: /^Reject/ }).click();
  await expect(admin.locator(':focus')).toContainText('Nothing was stored');
});

test('a card whose text moved is drawn anew, and what was typed stays', async ({ as }) => {
  const name = 'Winterwald.jpg';
  const editor = await as('editor');
  const cards = [];
  for (let i = 0; i < 3; i++) {
    await openFile(editor, ['Landschaften', 'Winter'], name);
    await startOn(editor, name, { action: 'Suggest title and description' });
    cards.push(new URL(editor.url()).pathname);
  }
  const [first, second] = [await as('admin'), await as('admin')];
  await second.goto(cards[1]);
  await first.goto(cards[0]);
  await first.getByRole('textbox', { name: 'Title to store' }).fill('Forest');
  await first.getByRole('button', { name: /^Approve/ }).click();
  await expect(first.getByText('Approved and stored')).toBeVisible();

  await test.step('opened before: approving stores nothing and says so', async () => {
    await second.getByRole('textbox', { name: 'Title to store' }).fill('A forest in the snow');
    await second.getByRole('button', { name: /^Approve/ }).click();
    await expect(second.locator(':focus')).toContainText('Nothing was stored. Something changed');
    await expect(second.getByRole('textbox', { name: 'Title to store' })).toHaveValue('A forest in the snow');
    await look(second, 'card that was drawn anew');
    await second.getByRole('button', { name: /^Approve/ }).click();
    await expect(second.getByText('Approved and stored')).toBeVisible();
  });
  await test.step('the card says what moved', async () => {
    await first.goto(cards[2]);
    await first.getByRole('button', { name: /^Approve/ }).click();
    await expect(first.locator(':focus')).toContainText('Nothing was stored. Something changed');
    await expect(first.getByText('Title: somebody stored another text.')).toBeVisible();
    await look(first, 'card of a moved text');
  });
});

test('a provider that cannot be reached ends the run in words', async ({ as }) => {
  const page = await as('editor');
  await begin(page, ['Karten & Pläne'], 'Felder von oben.jpg', 'fail');
  await expect(page.locator('#outcome')).toContainText('The model could not be reached', { timeout: 75_000 });
  await look(page, 'failed run');
});

test('markup in a proposal is text, and the card objects to it', async ({ as }) => {
  const name = 'Felder von oben.jpg';
  const editor = await as('editor');
  await openFile(editor, ['Karten & Pläne'], name);
  await startOn(editor, name, { note: 'html' });
  await expect(editor.getByRole('main').locator('dd').filter({ hasText: '<' }).first()).toBeVisible();
  const reviewer = await as('reviewer');
  await reviewer.goto(new URL(editor.url()).pathname);
  await look(reviewer, 'German card with markup');
});
