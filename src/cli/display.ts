import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { plain } from './output.ts';
import { requireService } from './running.ts';

export interface DisplayFlags {
  display?: string;
  json?: boolean;
}

export async function setBrightness(context: CliContext, percent: string, flags: DisplayFlags): Promise<void> {
  // A sign of percent is how people write it.
  const given = percent.replace(/\s*%$/, '');
  if (!/^\d{1,3}(\.\d{1,6})?$/.test(given) || Number(given) > 100)
    throw new UsageError(`The brightness must be a number from 0 to 100, but it is ${JSON.stringify(percent)}`);
  await order(context, 'display.brightness', { percent: Number(given) }, flags);
}

export const switchDisplays = (context: CliContext, on: boolean, flags: DisplayFlags): Promise<void> =>
  order(context, 'display.power', { on }, flags);

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
