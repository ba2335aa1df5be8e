import { type LogLevel, logLevels } from '../lib/log.ts';
import { isObject } from '../lib/values.ts';
import { localRoutes } from '../transports/http/local.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { linesOf } from './local-lines.ts';
import { requireService } from './running.ts';

export interface LogFlags {
  lines?: string;
  level?: string;
  follow?: boolean;
  json?: boolean;
}

/** What the running service has logged, the latest last. */
export async function printLogs(context: CliContext, flags: LogFlags): Promise<void> {
  const { lines: wanted = '100', level = 'DEBUG', follow = false, json = false } = flags;
  if (!/^\d{1,4}$/.test(wanted))
    throw new UsageError(`--lines must be a number from 0 to 9999, but it is ${JSON.stringify(wanted)}`);
  const least = logLevels.find((known) => known === level.toUpperCase());
  if (least === undefined)
    throw new UsageError(`--level must be one of ${logLevels.join(', ')}, but it is ${JSON.stringify(level)}`);
  const show = (line: string) => context.print(json ? JSON.stringify(entryOf(line)) : line);
  const service = await requireService(context);
  const answer = await service.get(localRoutes.logs);
  const all = isObject(answer) && Array.isArray(answer.lines) ? answer.lines.map(String) : [];
  const count = Number(wanted);
  if (count > 0) for (const line of all.filter((each) => isAtLeast(each, least)).slice(-count)) show(line);
  if (!follow) return;
  for await (const line of linesOf(context.host, service.info.socket, localRoutes.newLogs)) {
    const text: unknown = JSON.parse(line);
    if (typeof text === 'string' && isAtLeast(text, least)) show(text);
  }
}

/** Lines of the log are `time level message`. */
function entryOf(line: string): { time: string; level: string; message: string } {
  const [, time = '', level = '', message = ''] = /^(\S+) (\S+) +(.*)$/s.exec(line) ?? [];
  return { time, level, message };
}

function isAtLeast(line: string, least: LogLevel): boolean {
  const { level } = entryOf(line);
  return logLevels.slice(logLevels.indexOf(least)).some((known) => known === level);
}
