import type { CommandContext } from '../../core/command.ts';
import { plain } from '../../lib/text-table.ts';
import { type ProcessDetails, processDetailsSchema } from './processes.schema.ts';

export async function printProcess(context: CommandContext, data: unknown): Promise<void> {
  // The response follows the schema of the action.
  const { command_line, reasons, ...facts } = data as ProcessDetails;
  await context.outline(facts, processDetailsSchema);
  context.print('');
  context.print(`command_line${command_line === null ? '  -' : ''}`);
  for (const argument of command_line ?? []) context.print(`  ${plain(argument)}`);
  if (reasons.length === 0) return;
  context.print('');
  context.table(
    ['NOT KNOWN', 'REASON'],
    reasons.map(({ field, reason }) => [field, reason]),
  );
}
