// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { root, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

const state = 'users/root/AppData/Local/hostler';
const entries = { open: 1, copy: 2, pauseHour: 3, pause: 4, resume: 5, quit: 6 };

describe.skipIf(!needsWine())('the tray icon of the Windows build', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    hostler = await startWineHostler({
      mounts: [
        ...(wineProgram('tray-user').mounts ?? []),
        ...(wineProgram('exe-looks', ['version', 'gdi32', 'user32', 'shell32']).mounts ?? []),
        // Allows windows without a display, which Wine refuses by default.
        `printf '\\n[Software\\\\\\\\Wine\\\\\\\\Drivers] 1700000000\\n"Graphics"="null"\\n' >> "$0/w/pfx/user.reg"`,
      ],
    });
  });
  afterAll(() => hostler?.stop());

  const user = (what: string) => hostler.beside(`wine 'C:\\standins\\tray-user.exe' ${what}`);
  const paused = async () => {
    const answer = (await (await hostler.get('/api/control')).json()) as { paused: boolean; until: string | null };
    return answer;
  };

  test('Windows reads version, icons and manifest of the program', async () => {
    const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
    const reported = await hostler.beside(`wine 'C:\\standins\\exe-looks.exe' 'C:\\hostler\\hostler.exe'`);
    expect(reported).toContain('ProductName: Hostler\r\n');
    expect(reported).toContain(`ProductVersion: ${version}\r\n`);
    expect(reported).toContain(`fixed: ${version}.0\r\n`);
    expect(reported).toContain('icons: 1\r\n');
    expect(reported).toContain('picture: 32 x 32\r\n');
    expect(reported).toContain('<requestedExecutionLevel level="asInvoker" uiAccess="false"/>');
    expect(reported).toContain('>PerMonitorV2<');
    expect(reported).toContain('>detached</consoleAllocationPolicy>');
    expect(reported).not.toContain('bun');
  });

  test('it appears and disappears with the setting', async () => {
    expect(await user('click')).toContain('no icon');
    const client = await connectSocket(hostler);
    await client.ask('UPDATE_SETTINGS', { systemTray: true });
    await until(async () => ((await user('clipboard')) && (await user('click')).includes('clicked') ? true : null));
    await client.ask('UPDATE_SETTINGS', { systemTray: false });
    await until(async () => ((await user('click')).includes('no icon') ? true : null));
    await client.ask('UPDATE_SETTINGS', { systemTray: true });
    await until(async () => ((await user('click')).includes('clicked') ? true : null));
    client.end();
  });

  test('its menu pauses control for an hour or until it is resumed, and resumes it', async () => {
    expect(await user(`menu ${entries.pauseHour}`)).toContain('chosen');
    const hour = await until(async () => ((await paused()).paused ? await paused() : null));
    const left = Date.parse(hour.until ?? '') - Date.now();
    expect(left).toBeGreaterThan(50 * 60_000);
    expect(left).toBeLessThan(61 * 60_000);
    await user(`menu ${entries.resume}`);
    await until(async () => ((await paused()).paused ? null : true));
    await user(`menu ${entries.pause}`);
    expect((await until(async () => ((await paused()).paused ? await paused() : null))).until).toBeNull();
    await user(`menu ${entries.resume}`);
    await until(async () => ((await paused()).paused ? null : true));
  });

  test('it copies the address', async () => {
    await user(`menu ${entries.copy}`);
    await until(async () =>
      (await user('clipboard')).includes(`copied http://127.0.0.1:${hostler.port}`) ? true : null,
    );
  });

  test('it ends the service cleanly', async () => {
    await user(`menu ${entries.quit}`);
    await until(() => (fs.existsSync(hostler.drive(`${state}/service.json`)) ? null : true));
    await until(async () => ((await user('click')).includes('no icon') ? true : null));
  });
});
