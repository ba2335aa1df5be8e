import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost, noLaunch } from '../../../../test/doubles/fake-host.ts';
import { createAutostartEntry, desktopEntry, parseEntry } from './autostart-entry.ts';

test('without systemd the desktop starts the service, and an entry that the desktop disabled is off', async () => {
  const config = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-autostart-'));
  try {
    const entry = createAutostartEntry(hostThat(null).host, config, ['/opt/hostler', 'serve']);
    expect((await entry.state()).startsAtLogin).toBe(false);
    expect(await entry.remove({ purge: false })).toEqual([
      'Hostler is not started when you log in; nothing was changed',
    ]);
    await entry.install({ mayStart: true });
    expect(await entry.state()).toMatchObject({ startsAtLogin: true, isSwitchedOff: false });
    const file = path.join(config, 'autostart', 'hostler.desktop');
    fs.writeFileSync(file, `${fs.readFileSync(file, 'utf8')}Hidden=true\n`);
    expect(await entry.state()).toMatchObject({ startsAtLogin: false, isSwitchedOff: true });
    expect(await entry.remove({ purge: false })).toEqual([expect.stringContaining(`${file} was removed`)]);
    expect(fs.existsSync(path.dirname(file))).toBe(false);
    await entry.setAutostart(true);
    fs.writeFileSync(path.join(path.dirname(file), 'other.desktop'), '');
    await entry.setAutostart(false);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['other.desktop']);
    const nowhere = createAutostartEntry(hostThat(null).host, path.join(file, 'x'), ['/opt/hostler']);
    fs.writeFileSync(file, 'not a directory');
    await expect(nowhere.install({ mayStart: true })).rejects.toThrow('The entry for your desktop cannot be written: ');
  } finally {
    fs.rmSync(config, { recursive: true });
  }
});

test('installing also starts the service now, in the home directory; a process that ends at once does not count as running', async () => {
  const { host, started } = hostThat(null);
  await createAutostartEntry(host, '/nowhere', ['/opt/hostler', 'serve']).launch?.();
  expect(started).toEqual([['/opt/hostler', ['serve'], '/home/tester']]);
  const ended = createAutostartEntry(hostThat(1).host, '/nowhere', ['/opt/hostler', 'serve']).launch?.();
  await expect(ended).rejects.toThrow('Hostler exited at once with code 1; run "hostler serve" to see why');
});

/** A machine on which a program ends with this code; null: it keeps running. */
function hostThat(code: number | null) {
  const started: [string, string[], string][] = [];
  const host = fakeHost({
    launch: {
      ...noLaunch,
      async start(program, args, { cwd }) {
        started.push([program, args, cwd]);
        return code;
      },
    },
  });
  return { host, started };
}

test('a path is one word for the desktop, whatever it contains', () => {
  expect(desktopEntry(['/opt/hostler', 'serve'])).toContain('\nExec=/opt/hostler serve\n');
  expect(desktopEntry(['/a b/100%"$/x'])).toContain('\nExec="/a b/100%%\\\\"\\\\$/x"\n');
});

test.each([
  [null, false, false],
  ['[Desktop Entry]\nType=Application\n', true, false],
  ['[Desktop Entry]\nX-GNOME-Autostart-enabled=false\n', true, true],
])('the state of the autostart entry %p is read', (text, isThere, isSwitchedOff) => {
  expect(parseEntry(text)).toEqual({ isThere, isSwitchedOff });
});
