import { sleep } from '../../lib/clock.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { requireService, type ServiceClient } from '../running-service.ts';
import { type Shown, type TopOrder, topHelp, topLines, topOrders } from './top.lines.ts';

/** Live on a terminal, until q or Ctrl-C; once otherwise. */
export async function showTop(context: CliContext, { every = '2' }: { every?: string }): Promise<void> {
  const seconds = Number(every);
  if (every.trim() === '' || !(seconds >= 0.5 && seconds <= 3600))
    throw new UsageError(`--every must be a number of seconds from 0.5 to 3600, but it is ${JSON.stringify(every)}`);
  const { host, print } = context;
  const service = await requireService(context);
  const read = async () => await readAll(service, host.clock.monotonic());
  const first = await read();
  if (context.isJson) {
    const { atMs: _atMs, ...payloads } = first;
    return await context.answer(payloads);
  }
  if (!context.isForPeople()) {
    await sleep(host.clock, 500);
    for (const line of topLines(await read(), first, { columns: 200, rows: 25 })) print(line.trimEnd());
    return;
  }
  await live(context, seconds * 1000, first, read);
}

/** On the alternate screen of the terminal, so that its content is restored afterwards. */
async function live(context: CliContext, everyMs: number, first: Shown, read: () => Promise<Shown>): Promise<void> {
  const { host } = context;
  let over = false;
  let order: TopOrder = 'c';
  let wake = () => {};
  const end = () => {
    over = true;
    wake();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  const stopKeys = onKeys((key) => {
    if (key === 'q' || key === interrupt) return end();
    if (!isOrder(key)) return;
    order = key;
    wake();
  });
  const size = () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 });
  const draw = (now: Shown, before: Shown | null) => {
    const { columns, rows } = size();
    const lines = topLines(now, before, { columns, rows: rows - 1 }, order);
    const blank = Array<string>(Math.max(0, rows - 1 - lines.length)).fill('');
    const all = [...lines, ...blank, topHelp(order).slice(0, columns)];
    process.stdout.write(`${home}${all.map((line) => `${line}${clearLine}`).join('\r\n')}${clearBelow}`);
  };
  process.stdout.write(enter);
  try {
    let [before, now]: [Shown | null, Shown] = [null, first];
    let nextAt = host.clock.monotonic() + everyMs;
    draw(now, before);
    while (!over) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([sleep(host.clock, Math.max(0, nextAt - host.clock.monotonic())), woken]);
      if (over) break;
      if (host.clock.monotonic() >= nextAt) {
        [before, now] = [now, await read()];
        nextAt = host.clock.monotonic() + everyMs;
      }
      draw(now, before);
    }
  } finally {
    stopKeys();
    process.stdout.write(leave);
  }
}

/** Keys as they are pressed, where standard input is a terminal. Returns the function that stops it. */
function onKeys(pressed: (key: string) => void): () => void {
  const { stdin } = process;
  if (stdin.isTTY !== true) return () => {};
  const take = (keys: Buffer) => {
    for (const key of keys.toString('latin1').toLowerCase()) pressed(key);
  };
  stdin.setRawMode(true);
  stdin.on('data', take);
  return () => {
    stdin.off('data', take);
    stdin.setRawMode(false);
    stdin.pause();
  };
}

const isOrder = (key: string): key is TopOrder => Object.hasOwn(topOrders, key);

/** Ctrl-C, which is no signal while keys are read. */
const interrupt = '\u0003';
const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

async function readAll(service: ServiceClient, atMs: number): Promise<Shown> {
  const read = (module: string) => service.get(localRoutes.data(module));
  const [cpu, memory, networks, processes] = await Promise.all(['cpu', 'memory', 'networks', 'processes'].map(read));
  // The service created them by the schemas that these types are generated from.
  return { cpu, memory, networks, processes, atMs } as Shown;
}
