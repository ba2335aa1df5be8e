import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Sends the signal unless it has ended, and waits for its end. */
export async function endProcess(child: ChildProcess | null, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
