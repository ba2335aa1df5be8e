import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { openLocalStore } from '../../cli/offline-store.ts';
import { plain, table } from '../../cli/output.ts';
import { findService, requireService } from '../../cli/running-service.ts';
import { bytesInWords, durationInWords } from '../../lib/human-units.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import type { ContainerEntry, ContainerLogs, Containers } from './containers.schema.ts';
import type { ContainerVerb } from './containers.verbs.ts';

/** From the running service, or, where there is none, by a look of our own. */
export async function listContainers(context: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const service = await findService(context.host);
  const answer =
    service === null
      ? (await (await openLocalStore(context.host)).get('containers')).payload
      : await service.get(localRoutes.data('containers'));
  // What this service answers is what the schema of the module promises.
  const payload = answer as Containers;
  if (json) return context.print(JSON.stringify(payload, null, 2));
  const { engines, containers } = payload;
  if (engines.length === 0) return context.print('Neither Docker nor Podman was found on this machine');
  for (const { id, problem } of engines) if (problem !== null) context.print(plain(`${id}: ${problem}`));
  if (containers.length === 0) {
    if (engines.some(({ reachable }) => reachable)) context.print('There are no containers');
    return;
  }
  const nowSeconds = context.host.clock.now() / 1000;
  context.print(
    table(
      ['NAME', 'STATE', 'SINCE', 'CPU', 'MEMORY', 'ENGINE', 'IMAGE', 'PORTS'],
      containers.map((container) => [
        container.name,
        stateInWords(container),
        container.since === null ? '-' : durationInWords(Math.max(0, nowSeconds - container.since)),
        container.cpu_usage === null ? '-' : `${container.cpu_usage.toFixed(1)} %`,
        container.memory_used === null ? '-' : bytesInWords(container.memory_used),
        container.engine,
        container.image,
        container.ports.map(({ host_port, container_port }) => `${host_port}:${container_port}`).join(' ') || '-',
      ]),
      context.screen(),
    ),
  );
}

function stateInWords({ state, health, exit_code, oom }: ContainerEntry): string {
  if (health !== null && state === 'running') return health;
  if (state !== 'exited' || exit_code === null) return state;
  return oom ? `${state} (${exit_code}, out of memory)` : `${state} (${exit_code})`;
}

export interface ContainerFlags {
  engine?: string;
  json?: boolean;
}

export async function orderContainer(
  context: CliContext,
  verb: ContainerVerb,
  name: string,
  { engine, json = false }: ContainerFlags,
): Promise<void> {
  const service = await requireService(context);
  const done = await service.perform(`container.${verb}`, { name, ...(engine === undefined ? {} : { engine }) });
  context.print(json ? JSON.stringify(done, null, 2) : plain(done.message));
}

export async function printContainerLogs(
  context: CliContext,
  name: string,
  { engine, lines = '100', json = false }: ContainerFlags & { lines?: string },
): Promise<void> {
  const count = Number(lines);
  if (!/^\d{1,3}$/.test(lines) || count < 1 || count > 500)
    throw new UsageError(`--lines must be a number from 1 to 500, but it is ${JSON.stringify(lines)}`);
  const service = await requireService(context);
  const input = { name, lines: count, ...(engine === undefined ? {} : { engine }) };
  const data = (await service.perform('container.logs', input)).data as ContainerLogs;
  if (json) return context.print(JSON.stringify(data, null, 2));
  for (const { time, text } of data.lines) context.print(plain(time === '' ? text : `${time} ${text}`));
}
