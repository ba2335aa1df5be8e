import { budgets } from '../../access/limits/budgets.ts';
import type { ActionDefinition } from '../../core/action.ts';
import type { ActionState } from '../../core/action-state.ts';
import { actions } from '../../features/index.ts';
import { nearest } from '../../lib/nearest-name.ts';
import { outline } from '../../lib/text-table.ts';
import { isObject } from '../../lib/values.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { requireService } from '../running-service.ts';
import { inputFrom, inputSchemaOf } from './do.input.ts';

/** Calls any action through the running service; without a name: lists what works here, and what does not, and why. */
export async function doAction(context: CliContext, name: string | undefined, words: readonly string[]): Promise<void> {
  if (name === undefined) return await listActions(context);
  const action = actions.find((each) => each.name === name);
  if (action === undefined) throw new UsageError(noSuchAction(name, context));
  const schema = await inputSchemaOf(action);
  const input = await inputFrom(words, name, schema, () => bodyFrom(context));
  const service = await requireService(context);
  const done = await service.perform(name, input).catch((error) => {
    throw error instanceof UsageError ? new UsageError(`${error.message}\n(${usageOf(action, context)})`) : error;
  });
  const isRead = action.effect === 'read' || done.message === '';
  await context.answer(done, isRead ? outline(done.data, '', context.screen()) : done.message);
}

function noSuchAction(name: string, { command }: CliContext): string {
  const meant = nearest(
    name,
    actions.map((action) => action.name),
  );
  const guess = meant === null ? ';' : `; did you mean ${meant}?`;
  return `There is no action ${JSON.stringify(name)}${guess} "${command} do" lists them`;
}

async function listActions(context: CliContext): Promise<void> {
  const states = await (await requireService(context)).get(localRoutes.actions);
  if (context.isJson) return await context.answer(states);
  const rows = (Array.isArray(states) ? states : []).filter(isState);
  const works = rows.filter(({ available }) => available);
  context.table(
    ['ACTION', 'WHAT IT DOES'],
    works.map(({ name, description }) => [name, description]),
  );
  const missing = rows.filter(({ available }) => !available);
  if (missing.length === 0) return;
  context.print('\nUnavailable on this machine:');
  // Not cut: what is missing is mostly at the end.
  const reasons = missing.map(({ name, reason }) => [name, reason ?? '']);
  context.table(['ACTION', 'WHY'], reasons, { isWhole: true });
}

const isState = (value: unknown): value is ActionState => isObject(value) && typeof value.name === 'string';

function usageOf({ name, example }: ActionDefinition, { command }: CliContext): string {
  const pairs = Object.entries(isObject(example) ? example : {}).map(([key, value]) => {
    const text = `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
  });
  return `for example: ${[command, 'do', name, ...pairs].join(' ')}`;
}

/** No more than the service accepts. */
async function bodyFrom({ standardInput }: CliContext): Promise<string> {
  const { bodyBytes } = budgets.caller;
  const bytes = await standardInput(bodyBytes);
  if (bytes === null) throw new UsageError(`A body has at most ${bodyBytes} bytes`);
  return bytes.toString('utf8');
}
