import { defineTool } from '../../core/tool.ts';
import { ServiceError } from '../../lib/errors.ts';
import { pickFields, toFieldTree, whereItBreaks } from '../../lib/field-path.ts';
import { isObject } from '../../lib/values.ts';
import { whyNull } from '../why-null.ts';
import { byUse } from './by-use.ts';
import type { GetModuleInput, GetModuleOutput } from './get-module.schema.ts';

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

interface PageWish {
  items: number;
  /** Fewer items where they would be more than this. */
  bytes: number;
  offset: number;
}

interface PageOfLists {
  data: unknown;
  truncated: GetModuleOutput['truncated'];
  /** The number of entries to skip for the next page; null: this is the last one. */
  next: number | null;
}

/** A page of data: this many entries of its top-level lists from the given offset. Lists inside entries are cut, and have no pages. */
function pageOfLists(data: unknown, { items, bytes, offset }: PageWish): PageOfLists {
  const totals = new Map<string, number>();
  const skip = (value: unknown, path: string) => {
    if (!Array.isArray(value)) return value;
    totals.set(`${path}[]`, value.length);
    return value.slice(offset);
  };
  const rest = isObject(data)
    ? Object.fromEntries(Object.entries(data).map(([key, value]) => [key, skip(value, key)]))
    : skip(data, '');
  const fit = fitting(rest, items, bytes);
  const cuts = new Map(fit.truncated.map((cut) => [cut.field, cut]));
  const listed = [...totals].flatMap(([field, total]) => {
    const shown = cuts.get(field)?.shown ?? Math.max(0, total - offset);
    return shown === total ? [] : [{ field, ...(offset === 0 ? {} : { from: offset }), shown, total }];
  });
  const ends = listed.filter(({ shown, total }) => offset + shown < total).map(({ shown }) => offset + shown);
  return {
    data: fit.data,
    truncated: [...listed, ...fit.truncated.filter(({ field }) => !totals.has(field))],
    next: ends.length === 0 ? null : Math.min(...ends),
  };
}

/** A list that was cut, and what it was cut to. */
interface Cut {
  field: string;
  shown: number;
  total: number;
}

/** Leaves room for the rest of a result of 40 KB. */
export const maxBytes = 36_000;

/** Limits the lists in the data to this many entries, and fewer if the result would be too large. */
export function fitting(data: unknown, maxItems: number, bytes = maxBytes): { data: unknown; truncated: Cut[] } {
  for (let items = maxItems; ; items = Math.floor(items / 2)) {
    const cuts = new Map<string, Cut>();
    const cut = shorten(data, items, '', cuts);
    if (items <= 1 || Buffer.byteLength(JSON.stringify(cut) ?? '') <= bytes)
      return { data: cut, truncated: [...cuts.values()] };
  }
}

/** Of lists with the same name in the entries of another list, the longest is reported. */
function shorten(value: unknown, items: number, path: string, cuts: Map<string, Cut>): unknown {
  if (Array.isArray(value)) {
    const inside = `${path}[]`;
    const known = cuts.get(inside);
    if (value.length > items && (known === undefined || known.total < value.length))
      cuts.set(inside, { field: inside, shown: items, total: value.length });
    return value.slice(0, items).map((entry) => shorten(entry, items, inside, cuts));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      shorten(inner, items, path === '' ? key : `${path}.${key}`, cuts),
    ]),
  );
}
