import { expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createAutostartEntry, desktopEntry, parseEntry } from './autostart-entry.ts';

test('without systemd the desktop starts it, and what it switches off is off', async () => {
  const config = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-autostart-'));
  try {
    const entry = createAutostartEntry(config, ['/opt/hostler', 'serve']);
    expect((await entry.state()).startsAtLogin).toBe(false);
    await entry.install({ mayStart: true });
    expect(await entry.state()).toMatchObject({ startsAtLogin: true, isSwitchedOff: false });
    const file = path.join(config, 'autostart', 'hostler.desktop');
    fs.writeFileSync(file, `${fs.readFileSync(file, 'utf8')}Hidden=true\n`);
    expect(await entry.state()).toMatchObject({ startsAtLogin: false, isSwitchedOff: true });
    await entry.remove({ purge: false });
    expect(fs.existsSync(file)).toBe(false);
  } finally {
    fs.rmSync(config, { recursive: true });
  }
});

test('a path is one word for the desktop, whatever is in it', () => {
  expect(desktopEntry(['/opt/hostler', 'serve'])).toContain('\nExec=/opt/hostler serve\n');
  expect(desktopEntry(['/a b/100%"$/x'])).toContain('\nExec="/a b/100%%\\\\"\\\\$/x"\n');
});

test.each([
  [null, false, false],
  ['[Desktop Entry]\nType=Application\n', true, false],
  ['[Desktop Entry]\nX-GNOME-Autostart-enabled=false\n', true, true],
])('%p', (text, isThere, isSwitchedOff) => {
  expect(parseEntry(text)).toEqual({ isThere, isSwitchedOff });
});
