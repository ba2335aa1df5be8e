import { ServiceError } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import type { Measuring, SourceModule } from './measurements.ts';
import type { GlancesPlugin, GlancesVersion } from './plugin.ts';
import { machinePlugins } from './plugins.machine.ts';
import { networkPlugins } from './plugins.network.ts';
import { processPlugins } from './plugins.processes.ts';
import { processorPlugins } from './plugins.processor.ts';
import { storagePlugins } from './plugins.storage.ts';

/** In the order of the documents of Glances. */
export const glancesPlugins: ReadonlyMap<string, GlancesPlugin> = new Map(
  [processorPlugins, storagePlugins, networkPlugins, machinePlugins, processPlugins]
    .flatMap((group) => Object.entries(group))
    .sort(([one], [other]) => (one < other ? -1 : 1)),
);

/** Answers a path below /api/4 or /api/3, without the slash before it. Throws invalid for a plugin that Glances would not have. */
export async function answerGlances(
  path: string,
  version: GlancesVersion,
  measuring: Measuring,
  now: () => number,
): Promise<unknown> {
  const [name = '', field = '', ...rest] = path.split('/').map(decoded);
  if (name === 'pluginslist' && field === '') return [...glancesPlugins.keys()];
  if (name === 'status' && field === '') return { version: glancesPlugins.get('version')?.make({}, version, now()) };
  if (name === 'all' && field === '') return await madeFrom([...glancesPlugins], version, measuring, now);
  const plugin = glancesPlugins.get(name);
  if (plugin === undefined)
    throw new ServiceError(
      'invalid',
      `There is no plugin ${JSON.stringify(name.slice(0, 64))}; /api/${version}/pluginslist lists them`,
    );
  const made = (await madeFrom([[name, plugin]], version, measuring, now))[name];
  if (field === '') return made;
  const found = rest.length === 0 ? fieldOf(made, field) : itemOf(made, field, rest, version);
  if (found === undefined)
    throw new ServiceError(
      'not_found',
      `The plugin ${name} has no ${JSON.stringify([field, ...rest].join('/').slice(0, 100))} here`,
    );
  return found;
}

async function madeFrom(
  chosen: readonly (readonly [string, GlancesPlugin])[],
  version: GlancesVersion,
  measuring: Measuring,
  now: () => number,
): Promise<Record<string, unknown>> {
  const names = new Set<SourceModule>(chosen.flatMap(([, { needs }]) => needs));
  const found = await measuring.take([...names]);
  const nowMs = now();
  return Object.fromEntries(chosen.map(([name, plugin]) => [name, plugin.make(found, version, nowMs) ?? plugin.empty]));
}

/** `{field: value}`, or `{field: [a value of each entry]}`, which is empty without entries. undefined: there is no such field. */
function fieldOf(made: unknown, field: string): Record<string, unknown> | undefined {
  if (Array.isArray(made)) {
    const values = made.filter(isObject).filter((entry) => Object.hasOwn(entry, field));
    return values.length === 0 && made.length > 0 ? undefined : { [field]: values.map((entry) => entry[field]) };
  }
  return isObject(made) && Object.hasOwn(made, field) ? { [field]: made[field] } : undefined;
}

/** The entries whose field has a value; in Glances 4 also the first entries of a list, and the field of one entry. */
function itemOf(made: unknown, field: string, rest: readonly string[], version: GlancesVersion): unknown {
  if (!Array.isArray(made)) return undefined;
  if (field === 'top' && rest.length === 1)
    return /^\d{1,6}$/.test(rest[0] ?? '') ? made.slice(0, Number(rest[0])) : undefined;
  const entries = made.filter(isObject);
  const isByValue = version === 3 || rest[0] === 'value';
  const value = (version === 4 && isByValue ? rest.slice(1) : rest).join('/');
  if (isByValue) return { [value]: entries.filter((entry) => String(entry[field]) === value) };
  const entry = entries.find(({ key, ...fields }) => String(fields[String(key)]) === value);
  return entry !== undefined && Object.hasOwn(entry, field) ? { [field]: entry[field] } : undefined;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ServiceError('invalid', 'The path is not valid percent-encoding');
  }
}
