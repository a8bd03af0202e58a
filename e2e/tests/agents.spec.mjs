import { expect, openFile, test } from '../lib/demo.mjs';
import { expectAccessible, expectNoSidewaysScroll } from '../lib/axe.mjs';
import { call, connect, makeToken, revokeToken } from '../lib/agent.mjs';

/** filesOf are the pictures without a text that the agent is shown, by name. */
async function missing(client) {
  const found = new Map();
  for (let cursor; ;) {
    const page = await client.listResources(cursor ? { cursor } : {});
    for (const r of page.resources) found.set(r.name, Number(r.uri.slice('typo3-file://'.length)));
    if (!(cursor = page.nextCursor)) return found;
  }
}

for (const how of ['http', 'stdio']) {
  test(`an independent client over ${how}: lists, reads, is refused in words`, async ({ demo }) => {
    const { token, id } = await makeToken(demo, 'editor', `Client over ${how}`);
    const client = await connect(demo, how, token);
    try {
      expect(client.getServerVersion()?.name).toBe('editor-actions');
      expect(client.getInstructions()).toContain('only propose');
      const { tools } = await client.listTools();
      const byName = Object.fromEntries(tools.map((t) => [t.name, t]));
      expect(Object.keys(byName)).toEqual(expect.arrayContaining(['set_file_alternative_text', 'update_fal_asset_meta', 'get_proposal', 'list_proposals']));
      expect(byName.get_proposal.annotations.readOnlyHint).toBe(true);
      expect(byName.set_file_alternative_text.annotations.destructiveHint).toBe(false);

      const files = await missing(client);
      expect(files.size).toBeGreaterThan(3);
      const uid = files.get('Sommerfest 2024.jpg');
      const about = JSON.parse((await client.readResource({ uri: `typo3-file://${uid}` })).contents[0].text);
      expect(about).toMatchObject({ uid, name: 'Sommerfest 2024.jpg', alternative: '' });
      const picture = (await client.readResource({ uri: `typo3-file://${uid}/content` })).contents[0];
      expect(picture.mimeType).toBe('image/jpeg');
      expect(Buffer.from(picture.blob, 'base64').subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));

      const refused = await client.callTool({ name: 'set_file_alternative_text', arguments: { uid, alternative: '<b>summer</b>' } });
      expect(refused.isError).toBe(true);
      expect(refused.content[0].text).toContain('[value_html]');
      await expect(client.readResource({ uri: 'typo3-file://999999' })).rejects.toThrow(/not found/i);

      await revokeToken(demo, id);
      await expect(client.listTools()).rejects.toThrow();
    } finally {
      await client.close();
    }
  });
}

test('an agent proposes three texts, a reviewer decides them in the browser, the agent sees the outcome', async ({ as, demo }) => {
  const { token } = await makeToken(demo, 'editor', 'Picture describer');
  const client = await connect(demo, 'http', token);
  const progress = [];
  const texts = {
    'Hügel im Nebel.jpg': 'Wooded hills, one behind the other, in the morning mist',
    'Feuerwerk am See.jpg': 'Fireworks over a lake',
    'Wanderkarte Seeufer.png': 'A map of paths along the shore of a lake, with a very long description that nobody asked for',
  };
  const made = {};
  const files = await missing(client);
  for (const [name, alternative] of Object.entries(texts)) {
    made[name] = await call(client, 'set_file_alternative_text', { uid: files.get(name), alternative }, { onprogress: (p) => progress.push(p) });
    expect(made[name]).toMatchObject({ state: 'waiting', review: `${demo.address}/review/${made[name].proposal}` });
  }
  expect(progress.length).toBeGreaterThan(0);
  const again = await call(client, 'set_file_alternative_text', { uid: files.get('Feuerwerk am See.jpg'), alternative: texts['Feuerwerk am See.jpg'] });
  expect(again).toMatchObject({ proposal: made['Feuerwerk am See.jpg'].proposal, already_proposed: true });

  const admin = await as('admin');
  await test.step('one is approved', async () => {
    await admin.goto(new URL(made['Hügel im Nebel.jpg'].review).pathname);
    await expect(admin.getByText('Proposed by an agent: Picture describer')).toBeVisible();
    await expect(admin.getByRole('button', { name: /Ask the model again/ })).toHaveCount(0);
    await expectAccessible(admin, 'card of a proposal by an agent');
    await admin.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(admin, 'card of a proposal by an agent');
    await admin.setViewportSize({ width: 1280, height: 720 });
    await admin.getByRole('button', { name: /^Approve/ }).click();
    await expect(admin.getByText('Approved and stored')).toBeVisible();
  });
  await test.step('one is edited and approved', async () => {
    await admin.goto(new URL(made['Feuerwerk am See.jpg'].review).pathname);
    await admin.getByRole('textbox', { name: 'Alternative text to store' }).fill('Red and golden fireworks over a dark lake');
    await admin.getByRole('button', { name: /^Approve/ }).click();
    await expect(admin.getByText('Approved and stored')).toBeVisible();
  });
  await test.step('one is rejected with a reason, by a reviewer who reads German', async () => {
    const reviewer = await as('reviewer');
    await reviewer.goto(new URL(made['Wanderkarte Seeufer.png'].review).pathname);
    await expect(reviewer.getByText('Vorgeschlagen von einem Agenten: Picture describer')).toBeVisible();
    await expectAccessible(reviewer, 'card of a proposal by an agent, in German');
    await reviewer.getByRole('combobox', { name: 'Was stimmt nicht?' }).selectOption('too_long');
    await reviewer.getByRole('textbox', { name: 'Was soll anders sein?' }).fill('Say which paths the map shows.');
    await reviewer.getByRole('button', { name: /^Ablehnen/ }).click();
    await expect(reviewer.locator(':focus')).toContainText('nichts gespeichert');
  });

  const outcome = (name) => call(client, 'get_proposal', { proposal: made[name].proposal });
  expect(await outcome('Hügel im Nebel.jpg')).toMatchObject({ state: 'approved', written: { alternative: texts['Hügel im Nebel.jpg'] } });
  expect(await outcome('Feuerwerk am See.jpg')).toMatchObject({ state: 'edited', written: { alternative: 'Red and golden fireworks over a dark lake' } });
  const rejected = await outcome('Wanderkarte Seeufer.png');
  expect(rejected).toMatchObject({ state: 'rejected', wrong: 'too_long', reviewer_feedback: 'The text is too long. Say which paths the map shows.' });
  expect(JSON.stringify(rejected)).not.toMatch(/Redaktion|reviewer-demo|Administrator/);
  await client.close();

  const editor = await as('editor');
  await openFile(editor, ['Landschaften'], 'Hügel im Nebel.jpg');
  await expect(editor.getByRole('main').getByText(texts['Hügel im Nebel.jpg']).first()).toBeVisible();
  await editor.getByRole('link', { name: /Show the run/ }).first().click();
  await expect(editor.getByText('Proposed by an agent: Picture describer')).toBeVisible();
  await expectAccessible(editor, 'run of a proposal by an agent');
});
