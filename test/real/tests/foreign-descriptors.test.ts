import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { holdPipe } from '../../../src/host/linux/login/hold-pipe.ts';
import { needs } from '../harness/parts.ts';
import { until } from '../harness/service.ts';
import { hostIn } from '../harness/session-host.ts';

setDefaultTimeout(180_000);

const bus = path.join(import.meta.dirname, '..', 'harness', 'hostile-bus.py');
const inhibit = { destination: 'a.b', path: '/a', interface: 'a.b', member: 'Inhibit', timeoutMs: 60_000 };
/** The system bus belongs to root; any user can send descriptors over it. */
const canServe = process.getuid?.() === 0 && needs('/usr/bin/python3');
if (process.getuid?.() !== 0) console.log('skipped: only root can be the system bus');

describe.skipIf(!canServe)('descriptors that other users send over the system bus', () => {
  let ending: (() => void)[] = [];
  afterEach(() => {
    for (const end of ending) end();
    ending = [];
  });

  async function hold(mode: string) {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-descriptors-'));
    const socket = path.join(directory, 'bus');
    const child: ChildProcess = spawn('/usr/bin/python3', [bus, socket, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ending.push(
      () => child.kill('SIGKILL'),
      () => fs.rmSync(directory, { recursive: true }),
    );
    let said = '';
    child.stdout?.on('data', (text) => {
      said += text;
    });
    await until(() => (said.includes('listening') ? true : null));
    const host = hostIn({ DBUS_SYSTEM_BUS_ADDRESS: `unix:path=${socket}` });
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 20);
    const held = await holdPipe(host, inhibit).catch((error: Error) => error);
    clearInterval(timer);
    longest = Math.max(longest, performance.now() - last);
    return { held, longest, said: () => said };
  }

  test('do not stop the service when closing them waits, and the inhibitor is held', async () => {
    const { held, longest, said } = await hold('linger');
    // Closing it takes 20 s.
    expect(longest).toBeLessThan(10_000);
    expect(said()).not.toContain('released');
    if (typeof held !== 'function') throw held;
    held();
    await until(() => (said().includes('released') ? true : null));
  });

  test('are not taken for the inhibitor', async () => {
    expect((await hold('long')).held).toBeInstanceOf(Error);
    const { held, longest } = await hold('socket');
    expect(String(held)).toContain('without a pipe');
    expect(longest).toBeLessThan(10_000);
  });
});
