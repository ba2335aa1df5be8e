import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { table } from '../../cli/output.ts';
import { requireService } from '../../cli/running-service.ts';
import { readAudit } from './power.audit.ts';

export interface OrderFlags {
  delay?: string;
  at?: string;
  force?: boolean;
  json?: boolean;
}

/** Asks the running service: it knows who waits for what, and tells those who listen. */
export async function sendOrder(
  context: CliContext,
  action: string,
  { delay, at, force, json = false }: OrderFlags,
): Promise<void> {
  const when = { ...(delay === undefined ? {} : { delay: secondsFrom(delay) }), ...(at === undefined ? {} : { at }) };
  const service = await requireService(context);
  const done = await service.perform(action, { ...when, ...(force === undefined ? {} : { force }) });
  context.print(json ? JSON.stringify(done, null, 2) : done.message);
}

export function printOrders({ host, print, screen }: CliContext, { json = false }: { json?: boolean }): void {
  const lines = readAudit(host);
  if (json) return print(JSON.stringify(lines, null, 2));
  if (lines.length === 0) return print('No power orders yet');
  print(
    table(
      ['TIME', 'ORDER', 'TOKEN', 'FROM', 'OUTCOME'],
      lines.map(({ time, verb, token, address, outcome }) => [time, verb, token, address, outcome]),
      screen(),
    ),
  );
}

function secondsFrom(text: string): number {
  const seconds = Number(text);
  if (text.trim() !== '' && seconds >= 0 && seconds <= 3600) return seconds;
  throw new UsageError(`--delay must be a number of seconds from 0 to 3600, but it is ${JSON.stringify(text)}`);
}
