import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { plain } from '../../cli/output.ts';
import { requireService } from '../../cli/running-service.ts';

export interface DisplayFlags {
  display?: string;
  json?: boolean;
}

export async function setBrightness(context: CliContext, percent: string, flags: DisplayFlags): Promise<void> {
  await order(context, 'display.brightness', { percent: percentFrom(percent, 'brightness') }, flags);
}

export async function setContrast(context: CliContext, percent: string, flags: DisplayFlags): Promise<void> {
  await order(context, 'display.contrast', { percent: percentFrom(percent, 'contrast') }, flags);
}

export const setInput = (context: CliContext, input: string, flags: DisplayFlags): Promise<void> =>
  order(context, 'display.input', { input }, flags);

export const switchDisplays = (context: CliContext, on: boolean, flags: DisplayFlags): Promise<void> =>
  order(context, 'display.power', { on }, flags);

function percentFrom(percent: string, what: string): number {
  // A sign of percent is how people write it.
  const given = percent.replace(/\s*%$/, '');
  if (!/^\d{1,3}(\.\d{1,6})?$/.test(given) || Number(given) > 100)
    throw new UsageError(`The ${what} must be a number from 0 to 100, but it is ${JSON.stringify(percent)}`);
  return Number(given);
}

async function order(
  context: CliContext,
  action: string,
  input: Record<string, unknown>,
  { display, json = false }: DisplayFlags,
): Promise<void> {
  const service = await requireService(context);
  const done = await service.perform(action, { ...input, ...(display === undefined ? {} : { display }) });
  context.print(json ? JSON.stringify(done, null, 2) : plain(done.message));
}
