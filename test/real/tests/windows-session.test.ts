// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Process } from '../../../src/features/processes/processes.schema.ts';
import type { UserSession } from '../../../src/features/session/session.schema.ts';
import { needs } from '../harness/parts.ts';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';
import { createPrivateX11, type PrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

const { WM_WTSSESSION_CHANGE, WM_POWERBROADCAST } = { WM_WTSSESSION_CHANGE: 0x2b1, WM_POWERBROADCAST: 0x218 };
const { LOCK, UNLOCK, SETTING_CHANGED } = { LOCK: 7, UNLOCK: 8, SETTING_CHANGED: 32_787 };

describe.skipIf(!needs('Xvfb') || !needsWine())('the session of the Windows build under Wine', () => {
  let x11: PrivateX11;
  let hostler: WineHostler;

  beforeAll(async () => {
    x11 = createPrivateX11('Xvfb');
    await x11.start();
    const sender = wineProgram('send-message', ['user32']);
    hostler = await startWineHostler({
      mounts: [...(sender.mounts ?? []), ...x11Mounts],
      environment: { DISPLAY: x11.display() },
    });
  });
  afterAll(async () => {
    await hostler?.stop();
    await x11?.remove();
  });

  const session = async () => (await (await hostler.get('/api/data/session')).json()) as UserSession;
  const say = (message: number, first: number) =>
    hostler.beside(`wine C:\\\\standins\\\\send-message.exe ${message} ${first}`);

  test('has a user, and no window before one is opened', async () => {
    expect(await session()).toMatchObject({ user: 'root', type: 'windows', on_battery: false, active_window: null });
  });

  test('shows the active window with its program, and pushes changes to clients with the scope', async () => {
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['session'] });
    await client.until(({ module }) => module === 'session', 'the first session');
    await hostler.beside('(wine notepad.exe &); sleep 1');
    const reported = await client.until(
      ({ module, data }) => module === 'session' && (data as UserSession).active_window !== null,
      'the window',
    );
    const { active_window } = reported.data as UserSession;
    expect(active_window).toMatchObject({ app: 'notepad.exe', fullscreen: false });
    expect(active_window?.title).toContain('Notepad');
    const processes = (await (await hostler.get('/api/data/processes')).json()) as Process[];
    expect(processes.find(({ id }) => id === active_window?.pid)?.name).toBe('notepad.exe');
    client.end();
  });

  test('hides the window without the scope for the screen', async () => {
    const made = await hostler.beside('wine hostler.exe token create --name few --scope read --json');
    const { token } = JSON.parse(made.slice(made.indexOf('{'))) as { token: string };
    const answer = await fetch(`${hostler.base}/api/data/session`, { headers: { 'X-API-Token': token } });
    expect(((await answer.json()) as UserSession).active_window).toBeNull();
    expect((await session()).active_window).not.toBeNull();
  });

  test('is locked and unlocked as Windows announces it, at once', async () => {
    const client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['session'] });
    await client.until(({ module }) => module === 'session', 'the first session');
    for (const [event, locked] of [
      [LOCK, true],
      [UNLOCK, false],
    ] as const) {
      await until(async () => ((await say(WM_WTSSESSION_CHANGE, event)).includes('answered') ? true : null));
      await client.until(
        ({ module, data }) => module === 'session' && (data as UserSession).locked === locked,
        `locked ${locked}`,
      );
    }
    client.end();
  });

  test.each([false, true])('accepts the action to switch its displays: %p', async (on) => {
    const headers = { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ on });
    const answer = await fetch(`${hostler.base}/api/display/power`, { method: 'POST', headers, body });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('not confirmed')]);
    expect((await session()).user).toBe('root');
  });

  test('survives a message of another program with an invalid pointer', async () => {
    await say(WM_POWERBROADCAST, SETTING_CHANGED);
    expect((await session()).user).toBe('root');
  });
});
