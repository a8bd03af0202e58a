// Agents as programs of others write them: the TypeScript client of the protocol, over
// HTTP or over the standard streams of a process that it starts itself.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const run = promisify(execFile);

/** makeToken makes an access token as an operator would, and answers it and its id. */
export async function makeToken(demo, user, name, scopes = 'read,propose') {
  const { stdout, stderr } = await run(demo.binary, ['--config', demo.config, '--demo', demo.dir, 'token', 'create', '--user', user, '--name', name, '--scopes', scopes]);
  return { token: stdout.trim(), id: /Made token (\S+) /.exec(stderr)[1] };
}

/** revokeToken ends a token. */
export async function revokeToken(demo, id) {
  await run(demo.binary, ['--config', demo.config, '--demo', demo.dir, 'token', 'revoke', id]);
}

/** connect opens a client over 'http' or 'stdio'; close it with client.close(). */
export async function connect(demo, how, token) {
  const client = new Client({ name: 'e2e-client', version: '1.0.0' });
  const transport = how === 'http'
    ? new StreamableHTTPClientTransport(new URL('/mcp', demo.address), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })
    : new StdioClientTransport({
      command: demo.binary, args: ['--config', demo.config, '--demo', demo.dir, 'mcp'],
      env: { ...process.env, EDITOR_ACTIONS_MCP_TOKEN: token }, stderr: 'ignore',
    });
  await client.connect(transport);
  return client;
}

/** call uses a tool and answers the object in its text. */
export async function call(client, name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  if (result.isError) throw new Error(result.content[0].text);
  return JSON.parse(result.content[0].text);
}
