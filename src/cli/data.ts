import { apply, refuseUnknown, type SelectionWords } from '../core/json/selection.ts';
import { selectionOf } from '../core/list-flags.ts';
import { modules } from '../features/index.ts';
import { sleep } from '../lib/clock.ts';
import { outline } from '../lib/text-table.ts';
import { localRoutes } from '../transports/http/routes/local.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { openLocalStore } from './offline-store.ts';
import { findService } from './running-service.ts';
import { linesOf } from './service-lines.ts';

export interface DataFlags extends SelectionWords {
  watch?: boolean;
}

export async function printData(
  context: CliContext,
  module: string,
  { watch = false, ...words }: DataFlags,
): Promise<void> {
  const json = context.isJson;
  refuseUnknownModule(module);
  const part = await selectorFrom(module, words);
  const service = await findService(context.host);
  const inWords = json || !context.isForPeople() ? null : await figuresInWords(module);
  const show = (payload: unknown) => {
    if (json) context.print(JSON.stringify(payload, null, watch ? 0 : 2));
    else context.print(outline(inWords === null ? payload : inWords(payload), '', context.screen()));
  };
  let shown = '';
  const showChange = (payload: unknown) => {
    const wanted = part(payload);
    const text = JSON.stringify(wanted);
    if (text === shown) return;
    if (!json && shown !== '') context.print('');
    shown = text;
    show(wanted);
  };
  if (service === null) {
    const store = await openLocalStore(context.host);
    const read = async () => showChange((await store.get(module)).payload);
    await read();
    while (watch) {
      await sleep(context.host.clock, definitionOf(module)?.everyMs ?? 1000);
      await read();
    }
  } else {
    showChange(await service.get(localRoutes.data(encodeURIComponent(module))));
    if (watch) await listenToModule(context, module, showChange);
  }
}

const definitionOf = (module: string) => modules.find(({ name, alias }) => name === module || alias?.name === module);

function refuseUnknownModule(module: string): void {
  if (definitionOf(module) === undefined)
    throw new UsageError(
      `There is no module ${JSON.stringify(module)}; available: ${modules.map(({ name }) => name).join(', ')}`,
    );
}

async function selectorFrom(module: string, words: SelectionWords): Promise<(payload: unknown) => unknown> {
  const selection = selectionOf(words);
  if (selection === null) return (payload) => payload;
  const schema = await definitionOf(module)?.schema();
  if (schema !== undefined) refuseUnknown(selection, schema, module);
  return (payload) => apply(payload, selection);
}

/** On a terminal numbers have their units; a pipe gets them unchanged. null: there is no such module. */
async function figuresInWords(module: string): Promise<((payload: unknown) => unknown) | null> {
  const definition = definitionOf(module);
  if (definition === undefined) return null;
  const [schema, { readable }] = await Promise.all([definition.schema(), import('./readable.ts')]);
  return (payload) => readable(payload, schema);
}

/** The service is on the same machine, so attempts cost little. */
const retryMs = 500;

/** Prints the updates of the service, and reconnects when it restarts. Ends with an error only. */
export async function listenToModule(
  { host, complain }: Pick<CliContext, 'host' | 'complain'>,
  module: string,
  show: (payload: unknown) => void,
): Promise<never> {
  const route = localRoutes.changes(module);
  for (;;) {
    const service = await findService(host).catch(() => null);
    if (service !== null) {
      const lines = await linesOf(host, service.info.socket, route);
      try {
        for await (const line of lines) show(JSON.parse(line));
      } catch {
        // A killed service may end in the middle of a message.
      }
      complain('hostler: The connection ended; waiting for the service');
    }
    await sleep(host.clock, retryMs);
  }
}
