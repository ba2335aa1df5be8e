import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Displays } from '../../../src/features/displays/displays.schema.ts';
import { until } from '../../harness/until.ts';
import { bootBox, canBoot, type PrivateBox } from '../harness/box.ts';
import { type BoxedService, built, builtInside, startBoxed, succeed } from '../harness/boxed-service.ts';
import { type BoxedSession, furnishSession, sessionPrograms, startSession } from '../harness/boxed-session.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';

setDefaultTimeout(420_000);

describe.skipIf(!canBoot(built, ...sessionPrograms))('a unit of the user, with a real systemd and logind', () => {
  let box: PrivateBox;
  let alice: BoxedSession;
  let hostler: BoxedService;
  let client: SocketClient;

  /** The service starts with the manager of the user, before any desktop, and without information about one. */
  beforeAll(async () => {
    box = await bootBox({ binds: [[built, builtInside]], prepare: furnishSession });
    alice = await startSession(box);
    await succeed(box, ['loginctl', 'enable-linger', alice.name]);
    hostler = await startBoxed(box, alice);
    client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['displays'] });
  });
  afterAll(async () => {
    client?.end();
    hostler?.close();
    await box?.remove();
  });

  const displays = () => client.messages.findLast(({ module }) => module === 'displays')?.data as Displays | undefined;
  // If the systemd of the user is too busy to answer in time, the next regular read finds it, half a minute later.
  const width = (pixels: number | undefined) =>
    until(
      () => displays() !== undefined && displays()?.[0]?.resolution_horizontal === pixels,
      `it is ${pixels} wide`,
      90_000,
    );
  /** As every desktop does when it starts. */
  const tellSystemd = (display: string) => alice.run(['systemctl', '--user', 'set-environment', `DISPLAY=${display}`]);

  test('finds the desktop, detects its end, and finds the next one under another number', async () => {
    await width(undefined);
    await tellSystemd(':8');
    await alice.run(['systemd-run', '--user', '--quiet', '--unit=first', 'Xvfb', ':8', '-screen', '0', '800x600x24']);
    await width(800);
    await alice.run(['systemctl', '--user', 'stop', 'first']);
    await width(undefined);
    await alice.run(['systemd-run', '--user', '--quiet', '--unit=second', 'Xvfb', ':9', '-screen', '0', '1024x768x24']);
    await tellSystemd(':9');
    await width(1024);
    expect(hostler.log()).not.toContain('ERROR');
  });
});
