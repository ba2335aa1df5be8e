import type { CliContext } from '../../cli/context.ts';
import { UsageError } from '../../cli/exit.ts';
import { outline, plain, table } from '../../cli/output.ts';
import { requireService } from '../../cli/running-service.ts';

/** Everything about one process, from the running service: it may see more than whoever types. */
export async function printProcess(
  context: CliContext,
  pid: string,
  { json = false }: { json?: boolean },
): Promise<void> {
  if (!/^[1-9]\d{0,9}$/.test(pid))
    throw new UsageError(`A process ID is a whole number of at least 1, but it is ${JSON.stringify(pid)}`);
  const service = await requireService(context);
  const { data } = await service.perform('processes.get', { id: Number(pid) });
  if (json) return context.print(JSON.stringify(data, null, 2));
  const { readable } = await import('../../cli/readable.ts');
  const { processDetailsSchema } = await import('./processes.schema.ts');
  // What this service answers is what its schema promises.
  const { command_line, reasons, ...facts } = readable(data, processDetailsSchema) as Readable;
  context.print(outline(facts, '', context.screen()));
  context.print('');
  context.print(`command_line${command_line === null ? '  -' : ''}`);
  for (const argument of command_line ?? []) context.print(`  ${plain(argument)}`);
  if (reasons.length === 0) return;
  context.print('');
  context.print(
    table(
      ['NOT KNOWN', 'REASON'],
      reasons.map(({ field, reason }) => [field, reason]),
      context.screen(),
    ),
  );
}

interface Readable {
  command_line: string[] | null;
  reasons: { field: string; reason: string }[];
}
