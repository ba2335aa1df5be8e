import { defineTool } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { pickFields, toFieldTree, whereItBreaks } from '../../lib/field-path.ts';
import { whyNull } from '../why-null.ts';
import { byUse } from './by-use.ts';
import { maxBytes } from './fit-json.ts';
import type { GetModuleInput, GetModuleOutput } from './get-module.schema.ts';
import { pageOfLists } from './page-of-lists.ts';

export const getModule = defineTool<GetModuleInput, GetModuleOutput>({
  name: 'get_module',
  title: 'One module in full',
  description: 'One module, or the fields you name, in pages; processes and networks by use.',
  input: async (modules) => (await import('./get-module.schema.ts')).getModuleInputSchema(modules),
  output: async () => (await import('./get-module.schema.ts')).getModuleOutputSchema,
  scopes: ['read'],
  ofModule: (module) => ({ module }),
  async run({ module, fields: given = [], max_items, offset = 0 }, { read }) {
    const fields = new Set(given);
    const { payload: unsorted, reasons, at } = await read(module);
    const payload = byUse(module, unsorted);
    for (const field of fields) refuseUnknown(module, payload, field);
    const { data, truncated, next } = pageOfLists(pickFields(payload, toFieldTree(fields)), {
      items: max_items ?? itemsOf[module] ?? usualItems,
      bytes: max_items === undefined ? usualBytes : maxBytes,
      offset,
    });
    return {
      module,
      taken_at: new Date(at).toISOString(),
      data,
      truncated,
      ...(next === null ? {} : { next_offset: next }),
      ...(truncated.length === 0 ? {} : { hint: hints[module] ?? 'Name fields, or raise max_items, to see more' }),
      ...whyNull(data, reasons),
    };
  },
});

const usualItems = 50;
/** Less than 1,000 tokens: a page is read in one call, unless the client requests more. */
const usualBytes = 3000;
/** A machine has hundreds of these, most of them idle. */
const itemsOf: Partial<Record<string, number>> = { processes: 10, networks: 8 };

const hints: Partial<Record<string, string>> = {
  processes: 'Pass next_offset as offset for the next page; list_processes filters and sorts',
  networks: 'Pass next_offset as offset for the next page; list_connections filters',
};

function refuseUnknown(module: string, payload: unknown, field: string): void {
  const broken = whereItBreaks(payload, field);
  if (broken === null) return;
  const known = broken.known.length === 0 ? 'nothing is below it' : `available: ${broken.known.join(', ')}`;
  throw new ServiceError(
    'invalid',
    `${module} has no field ${JSON.stringify(field)}: ${JSON.stringify(broken.name)} is unknown; ${known}`,
  );
}
