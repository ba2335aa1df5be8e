import { spawn } from 'node:child_process';
import path from 'node:path';
import type { PrivateBox } from './box.ts';
import { until } from './service.ts';
import type { ReceivedMessage } from './webhook-receivers.ts';

/** A receiver of webhooks that only processes in a box can reach. */
export interface BoxedReceiver {
  port: number;
  received(): ReceivedMessage[];
  close(): void;
}

export async function startBoxedReceiver(box: PrivateBox): Promise<BoxedReceiver> {
  const script = path.join(import.meta.dirname, 'boxed-receiver-program.ts');
  const [program = '', ...args] = box.throughNetwork([process.execPath, '--no-env-file', script]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  /** The last piece is incomplete. */
  const lines = () => output.split('\n').slice(0, -1);
  const port = Number(await until(() => lines()[0] ?? null));
  return {
    port,
    received: () =>
      lines()
        .slice(1)
        .map((line) => JSON.parse(line) as ReceivedMessage),
    close: () => void child.kill('SIGKILL'),
  };
}
