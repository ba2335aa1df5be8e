import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root, runHostler, startHostler } from '../harness/service.ts';

/** The state of each version: `config` and `state` unchanged, and the secret of its token "kitchen". */
const samples = path.join(root, 'test', 'fixtures', 'state');

/** A copy that only its owner can write, as the service makes it and as a checkout may not be. */
function copyOf(version: string): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-state-'));
  for (const part of ['config', 'state']) {
    fs.cpSync(path.join(samples, version, part), path.join(directory, part), { recursive: true });
    fs.chmodSync(path.join(directory, part), 0o700);
    for (const name of fs.readdirSync(path.join(directory, part)))
      fs.chmodSync(path.join(directory, part, name), 0o600);
  }
  return directory;
}

const contentsOf = (directory: string) =>
  Object.fromEntries(
    ['config', 'state'].flatMap((part) =>
      fs
        .readdirSync(path.join(directory, part))
        .map((name) => [`${part}/${name}`, fs.readFileSync(path.join(directory, part, name)).toString('base64')]),
    ),
  );

const versions = fs.readdirSync(samples).filter((name) => name !== 'README.md');

describe.each(versions.sort())('the state of %s', (version) => {
  test('is imported: token, settings, and recorded history', async () => {
    const directory = copyOf(version);
    await using hostler = await startHostler({ directory });
    const secret = fs.readFileSync(path.join(samples, version, 'kitchen'), 'utf8').trim();
    expect(hostler.token).toBe(fs.readFileSync(path.join(samples, version, 'state', 'token'), 'utf8').trim());
    expect((await hostler.get('/api/data/memory', { 'X-API-Token': secret })).status).toBe(200);
    expect((await hostler.get('/api/clients', { 'X-API-Token': secret })).status).toBe(403);
    const { stdout } = await runHostler(['settings', 'get', '--json'], { directory });
    expect(JSON.parse(stdout)).toMatchObject({
      logLevel: 'WARN',
      media: { directories: [{ name: 'music', path: '/srv/music' }] },
    });
    expect(JSON.parse(fs.readFileSync(path.join(directory, 'state', 'version.json'), 'utf8'))).toEqual({ version: 1 });
    if (fs.existsSync(path.join(samples, version, 'state', 'control-paused.json')))
      expect(await (await hostler.get('/api/control')).json()).toMatchObject({ paused: true });
    if (!fs.existsSync(path.join(samples, version, 'state', 'history.journal'))) return;
    const at = JSON.parse(fs.readFileSync(path.join(samples, version, 'state', 'history.journal'), 'utf8')).at[0];
    const answer = await hostler.get(`/api/history?series=load&from=${at - 60_000}&to=${at + 60_000}`);
    const { events } = await answer.json();
    expect(events).toContainEqual(expect.objectContaining({ text: 'Hostler was started' }));
  });

  const newer = { version: 99, tokens: [] };
  test.each([
    ['state/version.json', JSON.stringify(newer)],
    ['config/settings.json', '{"version": 99, "logLevel": "DEBUG"} // of tomorrow\n'],
  ])(
    'with %s of a newer version is refused unmodified, with an exit code that does not make systemd restart it',
    async (name, text) => {
      const directory = copyOf(version);
      fs.writeFileSync(path.join(directory, name), text, { mode: 0o600 });
      const before = contentsOf(directory);
      const served = await runHostler(['serve', '--port', '0'], { directory });
      expect(served.code).toBe(2);
      expect(served.stderr).toContain(`${path.join(directory, name)} has version 99`);
      expect(served.stderr).toContain('Install the newer Hostler again');
      const command = await runHostler(['settings', 'set', 'autostart', 'true'], { directory });
      expect([command.code, command.stdout]).toEqual([2, '']);
      const doctor = await runHostler(['doctor'], { directory });
      expect(doctor.code).toBe(0);
      expect(doctor.stdout).toContain('has version 99');
      const { 'state/version.json': stamp, ...after } = contentsOf(directory);
      const { 'state/version.json': stampBefore, ...rest } = before;
      expect(after).toEqual(rest);
      // The state itself is of this version if only the settings are newer.
      if (stampBefore !== undefined) expect(stamp).toBe(stampBefore);
      fs.rmSync(directory, { recursive: true, force: true });
    },
  );
});
