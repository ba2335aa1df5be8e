import type { CommandContext } from '../../core/command.ts';
import { type ListFlags, listed } from '../../core/list-flags.ts';
import { plain } from '../../lib/text-table.ts';
import { bytesInWords, durationInWords } from '../../lib/units.ts';
import type { ContainerEntry, ContainerLogs, Containers } from './containers.schema.ts';

export async function listContainers(context: CommandContext, flags: ListFlags): Promise<void> {
  // The payload follows the schema of the module.
  const payload = (await context.read('containers')) as Containers;
  const schema = async () => (await import('./containers.schema.ts')).containerSchema;
  const containers = await listed(payload.containers, flags, schema, 'A container');
  if (context.isJson) return await context.answer({ ...payload, containers });
  const { engines } = payload;
  if (engines.length === 0) return context.print('Neither Docker nor Podman was found on this machine');
  for (const { id, problem } of engines) if (problem !== null) context.print(plain(`${id}: ${problem}`));
  if (containers.length === 0) {
    if (engines.some(({ reachable }) => reachable)) context.print('There are no containers');
    return;
  }
  const nowSeconds = context.host.clock.now() / 1000;
  context.table(
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
  );
}

function stateInWords({ state, health, exit_code, oom }: ContainerEntry): string {
  if (health !== null && state === 'running') return health;
  if (state !== 'exited' || exit_code === null) return state;
  return oom ? `${state} (${exit_code}, out of memory)` : `${state} (${exit_code})`;
}

export function printContainerLogs({ print }: CommandContext, data: unknown): void {
  // The response follows the schema of the action.
  for (const { time, text } of (data as ContainerLogs).lines) print(plain(time === '' ? text : `${time} ${text}`));
}
