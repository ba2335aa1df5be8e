import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { openNotifySocket } from '../../harness/notify-socket.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

/** Without systemd, which systemd-boxed.test.ts has: the notifications it would receive. */
describe.skipIf(!needs('setsid'))('the supervisor', () => {
  // So that no terminal can send SIGHUP.
  const through = [findProgram('setsid') ?? ''];

  test('is notified when the service is ready, alive, reloading and stopping', async () => {
    using socket = openNotifySocket();
    await using hostler = await startHostler({ through, env: { NOTIFY_SOCKET: socket.name, WATCHDOG_USEC: '400000' } });
    const said = (start: string) => socket.messages().filter((message) => message.startsWith(start));
    await until(() => (said('READY=1').length === 1 ? true : null));
    expect(said('READY=1')[0]).toContain(`:${hostler.port}`);
    await until(() => (said('WATCHDOG=1').length > 3 ? true : null));
    fs.writeFileSync(path.join(hostler.directory, 'config', 'settings.json'), '{"logLevel":"DEBUG"}');
    process.kill(hostler.pid, 'SIGHUP');
    await until(() => (said('READY=1').length === 2 ? true : null));
    expect(said('RELOADING=1')[0]).toMatch(/\nMONOTONIC_USEC=\d+\n/);
    expect((await hostler.get('/api/health')).status).toBe(200);
    expect(await hostler.stop()).toBe(0);
    expect(said('STOPPING=1')).toHaveLength(1);
  });

  test('is not contacted where it does not exist, and SIGHUP still reloads the settings', async () => {
    await using hostler = await startHostler({ through });
    process.kill(hostler.pid, 'SIGHUP');
    await until(() => (hostler.output().includes('reload requested') ? true : null));
    expect(await hostler.stop()).toBe(0);
  });
});
