import { defineTool } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { pickFields, toFieldTree, whereItBreaks } from '../../lib/field-path.ts';
import { fitting } from '../../lib/fitting.ts';
import type { GetModuleInput, GetModuleOutput } from './get-module.schema.ts';

export const getModule = defineTool<GetModuleInput, GetModuleOutput>({
  name: 'get_module',
  title: 'One module in full',
  description: 'All data of one module, or the fields you name.',
  input: async (modules) => (await import('./get-module.schema.ts')).getModuleInputSchema(modules),
  output: async () => (await import('./get-module.schema.ts')).getModuleOutputSchema,
  scopes: ['read'],
  async run({ module, fields = [], max_items }, { read }) {
    const { payload, at } = await read(module);
    for (const field of fields) refuseUnknown(module, payload, field);
    const { data, truncated } = fitting(pickFields(payload, toFieldTree(fields)), max_items);
    return {
      module,
      taken_at: new Date(at).toISOString(),
      data,
      truncated,
      ...(truncated.length === 0 ? {} : { hint: 'Name fields, or raise max_items, to see more' }),
    };
  },
});

function refuseUnknown(module: string, payload: unknown, field: string): void {
  const broken = whereItBreaks(payload, field);
  if (broken === null) return;
  const known = broken.known.length === 0 ? 'nothing is below it' : `available: ${broken.known.join(', ')}`;
  throw new ServiceError(
    'invalid',
    `${module} has no field ${JSON.stringify(field)}: ${JSON.stringify(broken.name)} is unknown; ${known}`,
  );
}
