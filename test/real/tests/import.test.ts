import { expect, setDefaultTimeout, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runHostler, startHostler } from '../harness/service.ts';

setDefaultTimeout(120_000);

test('after the import the service accepts the token of System Bridge, and has the identity that its clients know', async () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-import-'));
  const token = randomUUID();
  const theirs = path.join(directory, 'home', '.local', 'share', 'system-bridge', 'v5');
  const films = path.join(directory, 'films');
  fs.mkdirSync(theirs, { recursive: true });
  fs.mkdirSync(films);
  fs.writeFileSync(path.join(theirs, 'token'), token, { mode: 0o600 });
  const settings = { autostart: false, media: { directories: [{ name: 'Films', path: films }] }, loglevel: 'INFO' };
  fs.writeFileSync(path.join(theirs, 'settings.json'), JSON.stringify(settings), { mode: 0o644 });
  // On any machine: this distinguishes the two where nothing else does.
  fs.writeFileSync(path.join(theirs, 'uuid'), randomUUID());

  const shown = await runHostler(['import', 'system-bridge'], { directory });
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  expect(shown.stdout).toContain('Nothing was changed');
  expect(fs.existsSync(path.join(directory, 'state', 'tokens.json'))).toBe(false);

  const done = await runHostler(['import', 'system-bridge', '--yes', '--json'], { directory });
  expect([done.code, done.stderr]).toEqual([0, '']);
  expect(JSON.parse(done.stdout)).toMatchObject({ directory: theirs, done: true });
  expect(`${shown.stdout}${done.stdout}`).not.toContain(token);
  const identity = /identifier ([0-9a-f-]{36})/.exec(done.stdout)?.[1];
  expect(identity).toBeString();

  await using hostler = await startHostler({ directory });
  const headers = { 'X-API-Token': token };
  expect(await (await hostler.get('/api/data/system', headers)).json()).toMatchObject({ uuid: identity });
  expect((await hostler.get('/api/clients', headers)).status).toBe(403);
  expect(fs.readFileSync(path.join(directory, 'state', 'tokens.json'), 'utf8')).not.toContain(token);
  const list = await runHostler(['settings', 'get', 'media.directories', '--json'], { directory });
  expect(JSON.parse(list.stdout)).toEqual(settings.media.directories);
});
