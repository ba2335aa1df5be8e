import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { requireService } from '../../cli/running-service.ts';
import { parseSpan } from '../../lib/durations.ts';

interface ControlFlags {
  for?: string;
  json?: boolean;
}

export async function pauseControl(context: CliContext, { for: span, json }: ControlFlags): Promise<void> {
  await send(context, 'control.pause', span === undefined ? {} : { seconds: secondsOf(span) }, json);
}

export async function resumeControl(context: CliContext, { json }: ControlFlags): Promise<void> {
  await send(context, 'control.resume', {}, json);
}

async function send(
  { host, print, command }: CliContext,
  action: string,
  input: Record<string, unknown>,
  json = false,
): Promise<void> {
  const service = await requireService({ host, command });
  const done = await service.perform(action, input);
  print(json ? JSON.stringify(done, null, 2) : done.message);
}

function secondsOf(span: string): number {
  const ms = parseSpan(span);
  if (ms !== null && ms >= 1000) return ms / 1000;
  throw new UsageError(`--for must be a span such as 30m, 1h or 7d, but it is ${JSON.stringify(span)}`);
}
