import { type LogLevel, logLevels } from '../lib/log.ts';
import { isObject } from '../lib/values.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { requireService } from './running-service.ts';
import { linesOf } from './service-lines.ts';

export interface LogFlags {
  lines?: string;
  level?: string;
  follow?: boolean;
}

/** The log lines of the running service, the latest last. */
export async function printLogs(context: CliContext, flags: LogFlags): Promise<void> {
  const { wants, show } = chosenBy(context, flags);
  const service = await requireService(context);
  const response = await service.get(localRoutes.logs);
  printLogLines(context, isObject(response) && Array.isArray(response.lines) ? response.lines.map(String) : [], flags);
  if (!flags.follow) return;
  for await (const line of await linesOf(context.host, service.info.socket, localRoutes.newLogs)) {
    const text: unknown = JSON.parse(line);
    if (typeof text === 'string' && wants(text)) show(text);
  }
}

export function printLogLines(context: CliContext, lines: readonly string[], flags: LogFlags): void {
  const { count, wants, show } = chosenBy(context, flags);
  if (count > 0) for (const line of lines.filter(wants).slice(-count)) show(line);
}

function chosenBy({ print, isJson }: CliContext, { lines = '100', level = 'DEBUG' }: LogFlags) {
  if (!/^\d{1,4}$/.test(lines))
    throw new UsageError(`--lines must be a number from 0 to 9999, but it is ${JSON.stringify(lines)}`);
  const least = logLevels.find((known) => known === level.toUpperCase());
  if (least === undefined)
    throw new UsageError(`--level must be one of ${logLevels.join(', ')}, but it is ${JSON.stringify(level)}`);
  return {
    count: Number(lines),
    wants: (line: string) => isAtLeast(line, least),
    show: (line: string) => print(isJson ? JSON.stringify(entryOf(line)) : line),
  };
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
