import { sleep } from '../host/clock.ts';
import type { CliContext } from './context.ts';
import { openLocalStore } from './local.ts';
import { outline } from './output.ts';
import { findService, type ServiceClient } from './running.ts';

export interface DataFlags {
  json?: boolean;
  watch?: boolean;
}

export async function printData(
  context: CliContext,
  module: string,
  { json = false, watch = false }: DataFlags,
): Promise<void> {
  const service = await findService(context.host);
  const read = service === null ? await localReader(context, module) : remoteReader(service, module);
  const show = (payload: unknown) =>
    context.print(json ? JSON.stringify(payload, null, watch ? 0 : 2) : outline(payload));
  show(await read.once());
  if (!watch) return;
  let shown = '';
  for (;;) {
    await sleep(context.host.clock, await read.intervalMs());
    const payload = await read.once();
    const text = JSON.stringify(payload);
    if (text !== shown) {
      if (!json) context.print('');
      show(payload);
    }
    shown = text;
  }
}

interface ModuleReader {
  once(): Promise<unknown>;
  intervalMs(): Promise<number>;
}

function remoteReader(service: ServiceClient, module: string): ModuleReader {
  return {
    once: () => service.get(`/api/data/${encodeURIComponent(module)}`),
    async intervalMs() {
      return intervalOf(await service.get('/api/modules'), module);
    },
  };
}

async function localReader({ host }: CliContext, module: string): Promise<ModuleReader> {
  const store = await openLocalStore(host);
  return {
    once: async () => (await store.get(module)).payload,
    intervalMs: async () => intervalOf(await store.describe(), module),
  };
}

function intervalOf(states: unknown, module: string): number {
  const list: { name?: unknown; interval_ms?: unknown }[] = Array.isArray(states) ? states : [];
  const interval = list.find(({ name }) => name === module)?.interval_ms;
  return typeof interval === 'number' ? interval : 1000;
}
