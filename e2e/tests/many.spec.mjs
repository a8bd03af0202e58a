import { expect, openFile, startOn, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';

test('cards that were opened are approved together, with the keyboard', async ({ as }) => {
  const editor = await as('editor');
  const names = ['Bergsee im Abendlicht.jpg', 'Hügel im Nebel.jpg'];
  for (const name of names) {
    await openFile(editor, ['Landschaften'], name);
    await startOn(editor, name);
  }
  const admin = await as('admin');
  await admin.goto('/review');
  const waiting = admin.getByRole('region', { name: 'Waiting for a decision' });
  const row = (name) => waiting.getByRole('listitem').filter({ hasText: name });
  for (const name of names) {
    await expect(row(name)).toContainText('Not opened yet');
    await expect(row(name).getByRole('checkbox')).toHaveCount(0);
  }
  await expectAccessible(admin, 'an inbox with nothing opened yet');

  // From card to card, then back to the list.
  await row(names[0]).getByRole('link').click();
  await expect(admin.getByRole('heading', { level: 1 })).toContainText(names[0]);
  await admin.getByRole('link', { name: 'Next card' }).click();
  await expect(admin.getByRole('heading', { level: 1 })).toContainText(names[1]);
  await admin.goto('/review');
  for (const name of names) await expect(row(name).getByRole('checkbox')).toHaveCount(1);
  await expectAccessible(admin, 'an inbox with cards to pick');
  await admin.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(admin, 'an inbox with cards to pick');
  await expectAccessible(admin, 'an inbox with cards to pick, narrow');
  await admin.setViewportSize({ width: 1280, height: 800 });

  const first = admin.getByRole('checkbox', { name: new RegExp(names[0]) });
  await first.focus();
  await admin.keyboard.press('Space');
  await expect(first).toBeChecked();
  await expect(admin.getByText('1 selected', { exact: true })).toBeInViewport();
  await admin.getByRole('button', { name: 'Select all' }).press('Enter');
  await expect(admin.getByRole('checkbox', { name: new RegExp(names[1]) })).toBeChecked();
  await expect(admin.getByText('2 selected', { exact: true })).toBeVisible();
  await admin.getByRole('button', { name: 'Clear the selection' }).press('Enter');
  await expect(first).not.toBeChecked();
  await admin.getByRole('button', { name: 'Select all' }).press('Enter');
  await expectAccessible(admin, 'an inbox with cards that are picked');
  await admin.getByRole('button', { name: 'Approve and store the selected ones' }).press('Enter');
  const said = admin.getByText('2 proposals were approved and stored.');
  await expect(said).toBeVisible();
  await expect(admin.locator('main [autofocus]')).toBeFocused();
  for (const name of names) await expect(row(name)).toHaveCount(0);
});
