// What other programs depend on, as text files in a directory, so that two states of the code can be compared with `diff -r`:
// node scripts/wire-snapshot.mjs /tmp/before; … change …; node scripts/wire-snapshot.mjs /tmp/after; diff -r /tmp/before /tmp/after
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bunFlags, bunPath, ensureInstalled, root } from './installed.mjs';

const [out] = process.argv.slice(2);
if (out === undefined) {
  process.stderr.write('usage: node scripts/wire-snapshot.mjs DIRECTORY\n');
  process.exit(2);
}
ensureInstalled({ dev: true });
mkdirSync(out, { recursive: true });
const home = mkdtempSync(path.join(os.tmpdir(), 'hostler-snapshot-'));
const environment = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, LC_ALL: 'C.UTF-8' };
const bun = bunPath();
const command = [...bunFlags, path.join(root, 'src', 'main.ts')];
const write = (name, text) => writeFileSync(path.join(out, name), text);

for (const name of ['openapi.json', 'asyncapi.json', 'settings.md', 'api.md'])
  copyFileSync(path.join(root, 'docs', name), path.join(out, name));
write('help.txt', helpText());
const service = spawn(bun, [...command, 'serve', '--port', '0'], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const address = await listening(service);
  const token = readFileSync(path.join(home, '.local', 'state', 'hostler', 'token'), 'utf8').trim();
  const get = async (route) => await (await fetch(`${address}${route}`, { headers: { token } })).text();
  write(
    'modules.txt',
    `${JSON.parse(await get('/api/modules'))
      .map(({ name }) => name)
      .sort()
      .join('\n')}\n`,
  );
  write('metric-names.txt', metricNames(await metricsAfter(get)));
  write('mcp-tools.json', `${JSON.stringify(await toolsAt(address, token), null, 2)}\n`);
} finally {
  service.kill();
  await sleep(500);
  rmSync(home, { recursive: true, force: true });
}

/** The help of every command, in one process. */
function helpText() {
  const program = JSON.stringify(path.join(root, 'src', 'cli', 'program.ts'));
  const script = `const { createProgram } = await import(${program});
    const walk = (command) => { console.log(command.helpInformation()); command.commands.forEach(walk); };
    walk(createProgram());`;
  return spawnSync(bun, [...bunFlags, '-e', script], { env: environment, encoding: 'utf8' }).stdout;
}

async function listening(child) {
  for await (const chunk of child.stdout) {
    const [, address] = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(String(chunk)) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the service did not start');
}

/** Some metrics exist from the second scrape on. */
async function metricsAfter(get) {
  await get('/metrics');
  await sleep(2000);
  return await get('/metrics');
}

function metricNames(text) {
  return `${[...new Set(text.split('\n').filter((line) => line.startsWith('# TYPE ')))].sort().join('\n')}\n`;
}

async function toolsAt(address, token) {
  let session = {};
  const call = async (method, params, id) => {
    const response = await fetch(`${address}/api/mcp`, {
      method: 'POST',
      headers: { token, ...session, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    const text = await response.text();
    const given = response.headers.get('mcp-session-id');
    if (given !== null) session = { 'mcp-session-id': given };
    return JSON.parse(text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}'));
  };
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'snapshot', version: '1' } };
  await call('initialize', client, 1);
  const { result, error } = await call('tools/list', {}, 2);
  return result ?? error;
}
