import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import readline from 'node:readline';
import { endProcess } from '../harness/end-process.ts';

/** A player on a real bus that the test controls; see the script beside this file. */
export interface FakePlayer {
  /** Values with their D-Bus types: `{ Volume: ['d', 0.4] }`. Resolves with the time of the signal, Unix ms. */
  announce(values: Record<string, [string, unknown]>): Promise<number>;
  send(order: { Seeked: number } | { hang: number } | { lose: true }): void;
  end(): Promise<void>;
}

export async function startFakePlayer(address: string, name: string): Promise<FakePlayer> {
  const script = path.join(import.meta.dirname, 'fake-player.py');
  const child = spawn('/usr/bin/python3', [script, name], {
    env: { DBUS_SESSION_BUS_ADDRESS: address },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface(child.stdout);
  await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => Promise.reject(new Error('no player')))]);
  const send = (order: object) => void child.stdin.write(`${JSON.stringify(order)}\n`);
  return {
    send,
    async announce(values) {
      const answered = once(lines, 'line');
      send(values);
      const [nanoseconds] = await answered;
      return Number(BigInt(String(nanoseconds)) / 1000n) / 1000;
    },
    end: () => endProcess(child),
  };
}
