// Global setup: the demo site is made once per run. Each worker serves a copy of it,
// so a test that failed leaves nothing behind for the ones that follow.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.EDITOR_ACTIONS_BINARY ?? resolve(here, '../../bin/editor-actions');
// The demo with a limit, so that a text can be too long.
const settings = 'vision:\n  alternative:\n    maxLength: 250\n';
const template = 'EDITOR_ACTIONS_E2E_SITE';

/** serve runs the demo on a folder and answers its address, its files, what it wrote and how to end it. */
async function serve(dir) {
  const config = join(dirname(dir), 'settings.yaml');
  await writeFile(config, settings);
  const child = spawn(binary, ['--config', config, 'demo', '--dir', dir, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (part) => { log += part; });
  const address = await new Promise((found, failed) => {
    const timer = setTimeout(() => { child.kill('SIGKILL'); failed(new Error(`the demo did not print its address in time\n${log}`)); }, 180_000);
    createInterface({ input: child.stdout }).on('line', (line) => {
      log += line + '\n';
      const match = /^Address: (http:\/\/\S+)$/.exec(line.trim());
      if (match) { clearTimeout(timer); found(match[1].replace(/\/$/, '')); }
    });
    child.on('exit', (code) => { clearTimeout(timer); failed(new Error(`the demo ended with ${code}\n${log}`)); });
    child.on('error', (err) => { clearTimeout(timer); failed(new Error(`${binary} cannot be started; "make build" makes it`, { cause: err })); });
  });
  return {
    address,
    dir,
    config,
    binary,
    log: () => log,
    async stop() {
      const gone = child.exitCode !== null ? Promise.resolve() : new Promise((done) => child.once('exit', done));
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** makeSite paints the pictures once; the answer takes them away again. */
export default async function makeSite() {
  const dir = await mkdtemp(join(tmpdir(), 'editor-actions-e2e-'));
  const site = await serve(join(dir, 'site'));
  await site.stop();
  process.env[template] = join(dir, 'site');
  return () => rm(dir, { recursive: true, force: true });
}

/** serveCopy serves a copy of the site in a folder of its own. */
export async function serveCopy() {
  const dir = await mkdtemp(join(tmpdir(), 'editor-actions-e2e-'));
  await cp(process.env[template], join(dir, 'site'), { recursive: true });
  const site = await serve(join(dir, 'site'));
  return {
    ...site,
    async stop() {
      await site.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
