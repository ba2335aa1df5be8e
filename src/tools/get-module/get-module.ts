import type { Reason } from '../../core/reasons.ts';
import { defineTool } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { pickFields, toFieldTree, whereItBreaks } from '../../lib/field-path.ts';
import { fitting } from '../../lib/fitting.ts';
import { byUse } from './by-use.ts';
import type { GetModuleInput, GetModuleOutput } from './get-module.schema.ts';

export const getModule = defineTool<GetModuleInput, GetModuleOutput>({
  name: 'get_module',
  title: 'One module in full',
  description: 'All data of one module, or the fields you name.',
  input: async (modules) => (await import('./get-module.schema.ts')).getModuleInputSchema(modules),
  output: async () => (await import('./get-module.schema.ts')).getModuleOutputSchema,
  scopes: ['read'],
  async run({ module, fields = [], max_items = itemsOf(module) }, { read }) {
    const { payload: unsorted, reasons, at } = await read(module);
    const payload = byUse(module, unsorted);
    for (const field of fields) refuseUnknown(module, payload, field);
    const { data, truncated } = fitting(pickFields(payload, toFieldTree(fields)), max_items);
    return {
      module,
      taken_at: new Date(at).toISOString(),
      data,
      truncated,
      ...(truncated.length === 0 ? {} : { hint: hints[module] ?? 'Name fields, or raise max_items, to see more' }),
      ...whyNull(reasons, fields),
    };
  },
});

const usualItems = 50;
/** A machine has hundreds of them, most of which do nothing. */
const busiest = 15;
const itemsOf = (module: string) => (module === 'processes' ? busiest : usualItems);

const hints: Partial<Record<string, string>> = {
  processes: 'list_processes has the rest, in pages and filtered',
  networks: 'list_connections has all connections, in pages and filtered; or name fields, or raise max_items',
};

const mostReasons = 10;

/** Of what was asked for; nothing where nothing is null. */
function whyNull(reasons: readonly Reason[], fields: readonly string[]): Pick<GetModuleOutput, 'why_null'> {
  const concerns = (field: string | null) =>
    field === null || fields.length === 0 || fields.some((each) => field.startsWith(each) || each.startsWith(field));
  const told = reasons.filter(({ field }) => concerns(field)).slice(0, mostReasons);
  return told.length === 0 ? {} : { why_null: told.map(({ field, reason }) => ({ field, reason })) };
}

function refuseUnknown(module: string, payload: unknown, field: string): void {
  const broken = whereItBreaks(payload, field);
  if (broken === null) return;
  const known = broken.known.length === 0 ? 'nothing is below it' : `available: ${broken.known.join(', ')}`;
  throw new ServiceError(
    'invalid',
    `${module} has no field ${JSON.stringify(field)}: ${JSON.stringify(broken.name)} is unknown; ${known}`,
  );
}
