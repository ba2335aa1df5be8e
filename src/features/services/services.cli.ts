import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { openLocalStore } from '../../cli/offline-store.ts';
import { plain, table } from '../../cli/output.ts';
import { findService, requireService, type ServiceClient } from '../../cli/running-service.ts';
import { bytesInWords, durationInWords, timeInWords } from '../../lib/human-units.ts';
import { localRoutes } from '../../transports/http/routes/local.ts';
import type { ServiceLogsOutput, Services, ServiceUnit } from './services.schema.ts';

export async function listServices(
  context: CliContext,
  { failed = false, json = false }: { failed?: boolean; json?: boolean },
): Promise<void> {
  const service = await findService(context.host);
  // What the module serves is what its schema describes.
  const payload = (
    service === null
      ? (await (await openLocalStore(context.host)).get('services')).payload
      : await service.get(localRoutes.data('services'))
  ) as Services;
  const units = failed ? payload.units.filter(({ active_state }) => active_state === 'failed') : payload.units;
  if (json) return context.print(JSON.stringify(failed ? { ...payload, units } : payload, null, 2));
  if (payload.manager === null)
    return context.print(`The services are not known here; "${context.command} doctor" says why.`);
  if (units.length > 0) context.print(table(head, units.map(rowOf), context.screen()));
  const { counts, state, truncated } = payload;
  if (units.length > 0) context.print('');
  context.print(
    `${counts.failed} failed, ${counts.active} active, ${counts.inactive} inactive, ${counts.changing} changing; the machine is ${plain(state ?? 'in an unknown state')}.`,
  );
  if (truncated) context.print(`Only the first ${payload.units.length} are shown.`);
}

const head = ['UNIT', 'STATE', 'ENABLED', 'SINCE', 'MEMORY', 'CPU TIME', 'RESTARTS', 'DESCRIPTION'];

function rowOf(unit: ServiceUnit): string[] {
  return [
    unit.scope === 'user' ? `user:${unit.name}` : unit.name,
    `${unit.active_state} (${unit.sub_state})`,
    unit.enabled ?? '-',
    unit.since === null ? '-' : timeInWords(Math.round(unit.since)),
    unit.memory === null ? '-' : bytesInWords(unit.memory),
    unit.cpu_time === null ? '-' : durationInWords(unit.cpu_time),
    unit.restarts === null ? '-' : String(unit.restarts),
    unit.description,
  ];
}

/** `nginx` is the service of that name, as for systemctl. */
async function wholeName(service: ServiceClient, unit: string): Promise<string> {
  if (/\.[a-z]+$/.test(unit)) return unit;
  const { units, manager } = (await service.get(localRoutes.data('services'))) as Services;
  if (manager !== 'windows') return `${unit}.service`;
  // Windows does not tell names apart by their case, but the list of those that are allowed does.
  return units.find(({ name }) => name.toLowerCase() === unit.toLowerCase())?.name ?? unit;
}

export async function orderService(
  context: CliContext,
  verb: string,
  unit: string,
  { json = false }: { json?: boolean },
): Promise<void> {
  const service = await requireService(context);
  const done = await service.perform(`service.${verb}`, { unit: await wholeName(service, unit) });
  context.print(json ? JSON.stringify(done, null, 2) : plain(done.message));
}

export async function printServiceLogs(
  context: CliContext,
  unit: string,
  { lines, json = false }: { lines?: string; json?: boolean },
): Promise<void> {
  if (lines !== undefined && !/^[1-9]\d{0,2}$/.test(lines))
    throw new UsageError(`--lines must be a whole number from 1 to 500, but it is ${JSON.stringify(lines)}`);
  const service = await requireService(context);
  const wanted = lines === undefined ? {} : { lines: Number(lines) };
  const { data } = await service.perform('service.logs', { unit: await wholeName(service, unit), ...wanted });
  if (json) return context.print(JSON.stringify(data, null, 2));
  // What this service answers is what its schema promises.
  const { lines: found, truncated, reason } = data as ServiceLogsOutput;
  // Programs write what they like: nothing of it may steer the terminal.
  for (const { at, text } of found) context.print(`${timeInWords(Math.round(at))}  ${plain(text)}`);
  if (found.length === 0) context.print('There are no lines.');
  if (truncated) context.print('Earlier lines were left out.');
  if (reason !== null) context.print(reason);
}
