import path from 'node:path';
import { type ActionContext, type ActionDefinition, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';
import { baseCalled, baseRefusal, found } from '../../core/files/base-refusals.ts';
import { basesOf, findInBases, underHome } from '../../core/files/bases.ts';
import { findAnywhere } from '../../core/files/find-anywhere.ts';
import { type BaseDirectory, findServed } from '../../core/files/served-paths.ts';
import type { Host } from '../../host/host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';

const schemas = () => import('./files.schema.ts');
const always = async () => null;

const directories = defineAction({
  name: 'files.directories',
  description: 'Lists the directories whose files are served',
  input: async () => (await schemas()).noInputSchema,
  output: async () => (await schemas()).directoriesSchema,
  scopes: ['files'],
  effect: 'read',
  example: {},
  wire: { event: 'GET_DIRECTORIES', reply: 'DIRECTORIES' },
  unavailable: always,
  async run(_input, { host, settings }) {
    const known = await Promise.all(
      (await basesOf(host, settings())).map(async (base) => ((await isThere(host, settings(), base)) ? [base] : [])),
    );
    return { message: '', data: known.flat() };
  },
});

const directory = defineAction({
  name: 'files.directory',
  description: 'Returns the path of a base directory',
  input: async () => (await schemas()).directoryInputSchema,
  output: async () => (await schemas()).directorySchema,
  scopes: ['files'],
  effect: 'read',
  example: { base: 'music' },
  wire: { event: 'GET_DIRECTORY', reply: 'DIRECTORY' },
  unavailable: always,
  async run({ base: key }, { host, settings }) {
    const base = baseCalled(key, await basesOf(host, settings()));
    if (!(await isThere(host, settings(), base))) throw baseRefusal('missing', base, 'BAD_DIRECTORY');
    return { message: '', data: base };
  },
});

const list = defineAction({
  name: 'files.list',
  description: 'Lists the contents of a directory',
  input: async () => (await schemas()).listInputSchema,
  output: async () => (await schemas()).entriesSchema,
  scopes: ['files'],
  effect: 'read',
  example: { base: 'music', path: 'albums' },
  wire: { event: 'GET_FILES', reply: 'FILES' },
  unavailable: always,
  async run({ base: key, path: given }, { host, settings, keep, caller, signal }) {
    const base = baseCalled(key, await basesOf(host, settings()));
    const listings = await keep(loadListings);
    const requester = { tokenId: shareIdOf(caller), signal };
    const types = await keep(loadContentTypes);
    const { entries, message } = await listings.of(base, given || '.', types, requester, settings().files.hidden);
    return { message, data: entries };
  },
});

const file = defineAction({
  name: 'files.file',
  description: 'Returns information about a file',
  input: async () => (await schemas()).fileInputSchema,
  output: async () => (await schemas()).fileSchema,
  scopes: ['files'],
  effect: 'read',
  example: { base: 'music', path: 'albums/song.flac' },
  wire: { event: 'GET_FILE', reply: 'FILE' },
  unavailable: always,
  async run({ base: key, path: given }, { host, settings, keep }) {
    const bases = await basesOf(host, settings());
    const places = key ? [baseCalled(key, bases)] : bases;
    const { base, relative, entry } = await findFile(host, settings(), places, !key, given);
    entry.close();
    if (entry.kind !== 'file') throw baseRefusal('not_regular', base, 'BAD_FILE');
    const { toFileInfo } = await import('./files.entry.ts');
    const data = toFileInfo(path.join(base.path, relative), entry, await keep(loadContentTypes));
    return { message: '', data };
  },
});

const validate = defineAction({
  name: 'files.validate',
  description: 'Checks whether a path is a directory, anywhere on the machine',
  input: async () => (await schemas()).validateInputSchema,
  output: async () => (await schemas()).validSchema,
  scopes: ['admin'],
  effect: 'read',
  example: { path: '~/Music' },
  wire: { event: 'VALIDATE_DIRECTORY', reply: 'DIRECTORY_VALIDATED' },
  unavailable: always,
  async run({ path: given }, { host: { contained, environment } }) {
    if (given === '') return { message: '', data: { valid: false } };
    const entry = await findAnywhere(contained, underHome(given, environment.home));
    if (typeof entry !== 'string') entry.close();
    return { message: '', data: { valid: typeof entry !== 'string' && entry.kind === 'directory' } };
  },
});

export const filesActions: readonly ActionDefinition[] = [directories, directory, list, file, validate];

/** A mount that does not answer exists: its server may return. */
async function isThere({ contained }: Host, { files }: Settings, base: BaseDirectory): Promise<boolean> {
  const entry = await findServed(contained, files.hidden, base, '.');
  if (typeof entry === 'string') return entry === 'silent' || entry === 'crowded' || entry === 'disconnected';
  entry.close();
  return entry.kind === 'directory';
}

/** `anywhere`: no base was named, so the path must be absolute. */
async function findFile(
  host: Host,
  { files }: Settings,
  bases: readonly BaseDirectory[],
  anywhere: boolean,
  given: string,
) {
  const [base] = bases;
  if (anywhere || path.isAbsolute(given) || base === undefined) {
    if (path.isAbsolute(given) || given.startsWith('~')) return await findInBases(host, files, bases, given);
    throw new ServiceError('invalid', 'base is missing: it names the directory that the relative path starts from', {
      subtype: 'MISSING_BASE',
    });
  }
  const entry = found(await findServed(host.contained, files.hidden, base, given), base, 'BAD_FILE');
  return { base, relative: given, entry };
}

const loadListings = async ({ host, budgets }: Pick<ActionContext, 'host' | 'budgets'>) =>
  (await import('./files.list.ts')).createListings(host, {
    inAll: budgets.all.listings,
    perCaller: budgets.caller.listings,
  });
const loadContentTypes = async () => (await import('./content-types.ts')).createContentTypes();

export const filesFeature = defineFeature({
  name: 'files',
  title: 'Files',
  actions: filesActions,
  scopes: {
    files: {
      description:
        'list and download files of the known directories: the whole home, hidden files too unless files.hidden is false',
      label: 'read files',
      after: 'read',
      gravity: 80,
    },
  },
  settings: {
    media: {
      schema: async () => (await import('./files.settings.schema.ts')).mediaSettingsSchema,
      defaults: { directories: [] },
      after: 'disks',
    },
    files: {
      schema: async () => (await import('./files.settings.schema.ts')).filesSettingsSchema,
      defaults: { hidden: true },
      after: 'media',
    },
  },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    files: true;
  }
}
