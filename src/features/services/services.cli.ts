import type { CommandContext } from '../../core/command.ts';
import { type ListFlags, listed } from '../../core/list-flags.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { plain } from '../../lib/text-table.ts';
import { bytesInWords, durationInWords, timeInWords } from '../../lib/units.ts';
import type { ServiceLogsOutput, Services, ServiceUnit } from './services.schema.ts';

export async function listServices(
  context: CommandContext,
  { failed = false, ...flags }: ListFlags & { failed?: boolean },
): Promise<void> {
  // The payload follows the schema of the module.
  const payload = (await context.read('services')) as Services;
  const wanted = failed ? payload.units.filter(({ active_state }) => active_state === 'failed') : payload.units;
  const schema = async () => (await import('./services.schema.ts')).serviceUnitSchema;
  const units = await listed(wanted, flags, schema, 'A service');
  if (context.isJson) return await context.answer({ ...payload, units });
  if (payload.manager === null) throw new Error(await whyUnknown(context));
  if (units.length > 0) context.table(head, units.map(rowOf));
  const { counts, state, truncated } = payload;
  if (units.length > 0) context.print('');
  context.print(
    `${counts.failed} failed, ${counts.active} active, ${counts.inactive} inactive, ${counts.changing} changing; the machine is ${plain(state ?? 'in an unknown state')}.`,
  );
  if (truncated) context.print(`Only the first ${payload.units.length} are shown.`);
}

async function whyUnknown({ openStore }: Pick<CommandContext, 'openStore'>): Promise<string> {
  const { reasons } = await (await openStore()).get('services');
  const reason = reasons.find(({ field }) => field === null)?.reason;
  return `The services are unknown: ${reason ?? `"${ownCommand('doctor')}" explains why`}`;
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
export async function completeUnitName(
  { readRunning }: CommandContext,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const unit = String(input.unit);
  if (/\.[a-z]+$/.test(unit)) return input;
  const { units, manager } = (await readRunning('services')) as Services;
  if (manager !== 'windows') return { ...input, unit: `${unit}.service` };
  // Names of Windows services ignore case; the allowlist does not.
  const known = units.find(({ name }) => name.toLowerCase() === unit.toLowerCase());
  return { ...input, unit: known?.name ?? unit };
}

export function printServiceLogs({ print }: CommandContext, data: unknown): void {
  // The response follows the schema of the action.
  const { lines, truncated, reason } = data as ServiceLogsOutput;
  // Log text is untrusted: escape sequences must not reach the terminal.
  for (const { at, text } of lines) print(`${timeInWords(Math.round(at))}  ${plain(text)}`);
  if (lines.length === 0) print('There are no lines.');
  if (truncated) print('Earlier lines were left out.');
  if (reason !== null) print(reason);
}
