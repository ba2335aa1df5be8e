import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Starts a stand-in for the systemd of a user, with these variables; returns how to end it. */
export async function fakeManager(address: string, environment: string[]): Promise<() => Promise<void>> {
  const script = path.join(import.meta.dirname, 'fake-manager.py');
  const child = spawn('/usr/bin/python3', [script, ...environment], {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  await Promise.race([once(stdout, 'data'), once(child, 'exit').then(() => Promise.reject(new Error('no manager')))]);
  return async () => {
    if (child.exitCode !== null) return;
    const exit = once(child, 'exit');
    child.kill();
    await exit;
  };
}
