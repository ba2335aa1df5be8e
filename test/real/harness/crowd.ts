import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Clients at many addresses, see crowd.py. */
export interface Crowd extends Disposable {
  /** Connects from an address and sends a text; `again`: each time a connection ends. Returns how to look at these connections. */
  open(address: string, count: number, text?: string, again?: boolean): Promise<() => Promise<CrowdGroup>>;
}

export interface CrowdGroup {
  open: number;
  /** What each connection received so far. */
  received: string[];
}

/** `within`: a prefix that starts a program in a network. */
export function startCrowd(within: readonly string[], host: string, port: number): Crowd {
  const script = path.join(import.meta.dirname, 'crowd.py');
  const [program = '', ...args] = [...within, 'python3', script, host, String(port)];
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting: ((answer: never) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(JSON.parse(line) as never));
  const ask = <T>(command: object): Promise<T> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      child.stdin.write(`${JSON.stringify(command)}\n`);
    });
  return {
    async open(address, count, text = '', again = false) {
      const group = await ask<number>({ open: [address, count, text, again] });
      return () => ask({ look: group });
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
