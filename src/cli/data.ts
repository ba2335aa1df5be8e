import { createClient } from '../client/client.ts';
import { sleep } from '../lib/clock.ts';
import type { CliContext } from './context.ts';
import { openLocalStore } from './local.ts';
import { outline } from './output.ts';
import { findService } from './running.ts';

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
  const show = (payload: unknown) =>
    context.print(json ? JSON.stringify(payload, null, watch ? 0 : 2) : outline(payload));
  let shown = '';
  const showChange = (payload: unknown) => {
    const text = JSON.stringify(payload);
    if (text === shown) return;
    if (!json && shown !== '') context.print('');
    shown = text;
    show(payload);
  };
  if (service === null) {
    const { store, intervalMs } = await localReader(context, module);
    const read = async () => showChange((await store.get(module)).payload);
    await read();
    while (watch) {
      await sleep(context.host.clock, await intervalMs());
      await read();
    }
  } else {
    showChange(await service.get(`/api/data/${encodeURIComponent(module)}`));
    if (watch) await listen(context, module, showChange);
  }
}

async function localReader({ host }: CliContext, module: string) {
  const store = await openLocalStore(host);
  const intervalMs = async () => (await store.describe()).find(({ name }) => name === module)?.interval_ms ?? 1000;
  return { store, intervalMs };
}

/** The service is at the same command, so attempts cost little. */
const maxRetryMs = 2000;
const maxRefusals = 5;

/** Shows what the service pushes, and waits for it where it is restarted. Ends with an error only. */
function listen({ host, complain }: CliContext, module: string, show: (payload: unknown) => void): Promise<never> {
  return new Promise((_, reject) => {
    let wasOpen = false;
    let refusals = 0;
    const client = createClient({
      // Each run of the service has a port and a token of its own.
      async where() {
        const service = await findService(host);
        if (service === null) throw new Error('No service is running');
        return { url: service.base, token: service.info.token };
      },
      maxRetryMs,
      onProblem(problem) {
        client.close();
        reject(problem);
      },
    });
    client.listen([module], (_, payload) => show(payload));
    client.onState((state, sentence) => {
      if (state === 'open') refusals = 0;
      if (state === 'waiting' && wasOpen) complain(`hostler: ${sentence}; waiting for the service`);
      wasOpen = state === 'open';
      // What the file says may be older than the service that just started.
      if (state === 'refused' && refusals++ < maxRefusals) host.clock.after(maxRetryMs, client.retry);
      else if (state === 'refused') reject(new Error(sentence));
    });
  });
}
