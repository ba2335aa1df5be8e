import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { plain } from '../../cli/output.ts';
import { requireService } from '../../cli/running-service.ts';

interface PointerFlags {
  display?: string;
  json?: boolean;
}

export async function movePointer(
  context: CliContext,
  [x, y]: [string, string],
  { by = false, ...flags }: PointerFlags & { by?: boolean },
): Promise<void> {
  const [left, top] = [numberOf(x), numberOf(y)];
  if (by && flags.display !== undefined)
    throw new UsageError('--by moves from where the pointer is: leave --display out');
  await order(context, 'pointer.move', by ? { dx: left, dy: top } : { x: left, y: top }, flags);
}

export async function clickPointer(
  context: CliContext,
  [x, y]: [string | undefined, string | undefined],
  { button, count, ...flags }: PointerFlags & { button: string; count: string },
): Promise<void> {
  if (x !== undefined && y === undefined) throw new UsageError('A place has two numbers: click 640 360');
  const place = x === undefined || y === undefined ? {} : { x: numberOf(x), y: numberOf(y) };
  await order(context, 'pointer.click', { button, count: numberOf(count), ...place }, flags);
}

export async function scrollPointer(
  context: CliContext,
  steps: string,
  { sideways = false, ...flags }: PointerFlags & { sideways?: boolean },
): Promise<void> {
  await order(context, 'pointer.scroll', { [sideways ? 'dx' : 'dy']: numberOf(steps) }, flags);
}

function numberOf(given: string): number {
  if (!/^-?\d{1,9}(\.\d{1,6})?$/.test(given)) throw new UsageError(`${JSON.stringify(given)} is not a number`);
  return Number(given);
}

async function order(
  context: CliContext,
  action: string,
  input: Record<string, unknown>,
  { display, json = false }: PointerFlags,
): Promise<void> {
  const service = await requireService(context);
  const done = await service.perform(action, { ...input, ...(display === undefined ? {} : { display }) });
  context.print(json ? JSON.stringify(done, null, 2) : plain(done.message));
}
