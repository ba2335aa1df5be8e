/** Requests health repeatedly, in its own thread: a busy attacker must not make the service appear slow. */
import net from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { pause } from '../harness/harness.ts';
import { resident } from '../harness/process.ts';

export interface Health {
  /** Milliseconds from wanting to know to the answer, sorted. */
  times: number[];
  /** The same for a server without attackers: the load of the machine. */
  quietTimes: number[];
  /** MiB. */
  peak: number;
}

interface Watched {
  port: number;
  quietPort: number;
  pid: number;
}

/** Begins after the first answers; `stop` returns the results. */
export async function watchHealth({ port, quietPort, pid }: Watched): Promise<{ stop(): Promise<Health> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, quietPort, pid } });
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', (code) => reject(new Error(`the thread that requests health ended with ${code}`)));
    });
  await next();
  return {
    async stop() {
      const health = next<Health>();
      worker.postMessage('stop');
      const seen = await health;
      await worker.terminate();
      return seen;
    },
  };
}

async function watch({ port, quietPort, pid }: Watched, send: (message: unknown) => void, isStopped: () => boolean) {
  for (let count = 0; count < 20; count++) {
    await askHealth(port);
    await pause(20);
  }
  const times: number[] = [];
  const quietTimes: number[] = [];
  let peak = 0;
  send('ready');
  while (!isStopped()) {
    times.push(await timeOf(port));
    quietTimes.push(await timeOf(quietPort));
    peak = Math.max(peak, resident(pid).total);
    await pause(20);
  }
  const sorted = (values: number[]) => values.toSorted((a, b) => a - b);
  send({ times: sorted(times), quietTimes: sorted(quietTimes), peak });
}

async function timeOf(port: number): Promise<number> {
  const start = performance.now();
  await askHealth(port);
  return performance.now() - start;
}

/** On a new connection, as a new client would. A refused client retries, and the wait counts. */
function askHealth(port: number): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    const giveUp = setTimeout(() => socket.destroy(), 20_000);
    let received = '';
    socket.write(`GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(giveUp);
      if (received.startsWith('HTTP/1.1 200')) resolve();
      else setTimeout(() => resolve(askHealth(port)), 50);
    });
  });
}

if (!isMainThread && parentPort !== null) {
  let stopped = false;
  const port = parentPort;
  port.once('message', () => {
    stopped = true;
  });
  void watch(
    workerData,
    (message) => port.postMessage(message),
    () => stopped,
  );
}
