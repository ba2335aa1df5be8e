import type { Host } from '../host/host.ts';

/** Something that one feature needs of the machine, declared beside the feature and created once per host at first use. */
export interface Part<T, H extends Host = Host> {
  /** Unique: `<feature>.<part>`. */
  name: string;
  create(host: H): T | Promise<T>;
  /** Replaces it on a recording, which holds files and answers of the bus only. */
  absent: T;
}

export function definePart<T, H extends Host = Host>(part: Part<T, H>): Part<T, H> {
  return part;
}

/** The part of this host. A part with a method `close` is closed with the host. */
export function partOf<T, H extends Host>(host: NoInfer<H>, part: Part<T, H>): Promise<T> {
  const parts = partsOf(host);
  const known = parts.get(part.name);
  // Names are unique, so an entry holds what its part creates.
  if (known !== undefined) return known.promise as Promise<T>;
  const promise = createPart(host, part);
  const entry: Entry = { value: null, promise };
  parts.set(part.name, entry);
  promise.then(
    (made) => {
      entry.value = { made };
    },
    () => {},
  );
  return promise;
}

/** null: the part is not used yet, or is still being created. */
export function partMade<T, H extends Host>(host: NoInfer<H>, part: Part<T, H>): T | null {
  const value = partsOf(host).get(part.name)?.value ?? null;
  return value === null ? null : (value.made as T);
}

/** For tests: replaces the result of `create`. */
export function setPart<T, H extends Host, G extends H>(host: G, part: Part<T, H>, value: NoInfer<T>): G {
  partsOf(host).set(part.name, { value: { made: value }, promise: Promise.resolve(value) });
  return host;
}

interface Entry {
  value: { made: unknown } | null;
  promise: Promise<unknown>;
}

const partsByHost = new WeakMap<Host, Map<string, Entry>>();

function partsOf(host: Host): Map<string, Entry> {
  const parts = partsByHost.get(host) ?? new Map<string, Entry>();
  partsByHost.set(host, parts);
  return parts;
}

async function createPart<T, H extends Host>(host: H, part: Part<T, H>): Promise<T> {
  if (host.isRecording) return part.absent;
  const made = await part.create(host);
  if (isClosable(made)) host.onClose(() => made.close());
  return made;
}

function isClosable(made: unknown): made is { close(): void | Promise<void> } {
  return typeof made === 'object' && made !== null && 'close' in made && typeof made.close === 'function';
}
