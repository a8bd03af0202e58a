import { test as base, expect } from '@playwright/test';
import { serveCopy } from './site.mjs';

/** People of the demo; the command prints the same. */
export const people = {
  admin: { username: 'admin', password: 'admin-demo-2026' },
  editor: { username: 'editor', password: 'editor-demo-2026' },
  readonly: { username: 'editor-readonly', password: 'readonly-demo-2026' },
  reviewer: { username: 'reviewer', password: 'reviewer-demo-2026' }, // reads German
};

/**
 * test gives each worker one demo and each test a way to open pages as people:
 * `const page = await as('editor', { colorScheme: 'dark' })` is signed in already.
 */
export const test = base.extend({
  demo: [async ({}, use) => {
    const demo = { ...await serveCopy(), sessions: new Map() };
    await use(demo);
    await demo.stop();
  }, { scope: 'worker', timeout: 60_000 }],
  baseURL: async ({ demo }, use) => { await use(demo.address); },
  as: async ({ browser, demo }, use, info) => {
    const contexts = [];
    const wrong = [];
    await use(async (who, options = {}) => {
      const context = await browser.newContext({ baseURL: demo.address, ...options });
      contexts.push(context);
      const page = await context.newPage();
      watch(page, wrong);
      if (who) await enter(page, who, demo.sessions);
      return page;
    });
    for (const c of contexts) await c.close();
    if (info.status !== info.expectedStatus) await info.attach('service', { body: demo.log().slice(-20_000), contentType: 'text/plain' });
    expect(wrong, 'errors of the pages').toEqual([]);
  },
});

/** watch collects a page's own errors, a refused script or style among them; any fails the test. */
function watch(page, wrong) {
  page.on('pageerror', (err) => wrong.push(String(err)));
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy/i.test(message.text())) wrong.push(message.text());
  });
}

/** enter signs in once per person and server; later pages take over the session, as another tab does. */
async function enter(page, who, sessions) {
  if (sessions.has(who)) {
    await page.context().addCookies(sessions.get(who));
    await page.goto('/files');
    return;
  }
  await signIn(page, who);
  sessions.set(who, await page.context().cookies());
}

export async function signIn(page, who) {
  await page.goto('/sign-in');
  await page.getByLabel(/User name|Benutzername/).fill(people[who].username);
  await page.getByLabel(/Password|Passwort/).fill(people[who].password);
  await page.getByRole('button', { name: /Sign in|Anmelden/ }).click();
  await expect(page.getByRole('navigation', { name: /^(Main|Hauptnavigation)$/ })).toBeVisible();
}

/** openFile walks from the files page through folders to a file, as a person would. */
export async function openFile(page, folders, name) {
  await page.goto('/files');
  for (const folder of folders) {
    await page.getByRole('main').getByRole('navigation').getByRole('link', { name: folder, exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: folder })).toBeVisible();
  }
  await page.getByRole('link', { name, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

/** startOn starts an action on an open file page and waits for the card. */
export async function startOn(page, name, { action = 'Suggest alternative text', note = '' } = {}) {
  const offer = page.getByRole('article', { name: action });
  if (note) await offer.getByRole('textbox').fill(note);
  await offer.getByRole('button', { name: `${action} for ${name}` }).click();
  await expect(page).toHaveURL(/\/review\//, { timeout: 60_000 });
}

export { expect };
