import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { endProcess } from '../harness/end-process.ts';

/** Starts a stand-in for the systemd of a user, with these variables; returns how to end it. */
export async function fakeManager(address: string, environment: string[]): Promise<() => Promise<void>> {
  const script = path.join(import.meta.dirname, 'fake-manager.py');
  const child = spawn('/usr/bin/python3', [script, ...environment], {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { stdout } = child;
  await Promise.race([once(stdout, 'data'), once(child, 'exit').then(() => Promise.reject(new Error('no manager')))]);
  return () => endProcess(child, 'SIGTERM');
}
