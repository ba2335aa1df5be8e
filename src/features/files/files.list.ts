import path from 'node:path';
import { baseRefusal, found } from '../../core/files/base-refusals.ts';
import type { BaseDirectory } from '../../core/files/served-paths.ts';
import { findServed, isWithheld } from '../../core/files/served-paths.ts';
import { type Asker, createJobQueue, type JobLimits } from '../../core/job-queue.ts';
import { prepareJson } from '../../core/json/prepared-json.ts';
import type { Listed, Listing } from '../../host/contained/contained.ts';
import type { Host } from '../../host/host.ts';
import { ownMemory } from '../../lib/collect-heap.ts';
import { createBreaks, inSlices } from '../../lib/slices.ts';
import type { ContentTypeOf } from './content-types.ts';
import { type FileFacts, toEntry } from './files.entry.ts';
import type { FileEntry } from './files.schema.ts';
import { sorted } from './files.sort.ts';

export interface ListedDirectory {
  entries: FileEntry[];
  /** Empty unless entries were left out. */
  message: string;
}

interface WantedListing {
  base: BaseDirectory;
  relative: string;
  contentTypeOf: ContentTypeOf;
  hidden: boolean;
}

/** About 20 MB as JSON. */
const mostEntries = 100_000;
/** Entries that take some 15 MB before they are sent. */
const muchGarbage = 10_000;
/** Entries read without a break: about a millisecond on a local disk. */
const batch = 125;
/** A break costs about a millisecond too. */
const sliceMs = 6;

/** Short listings do not wait for long ones. */
const shortAtOnce = 4;

/** Long listings run one at a time and are read only then; concurrent requests for one directory share the result. */
export function createListings(
  { contained, clock }: Pick<Host, 'contained' | 'clock'>,
  limits: Pick<JobLimits, 'inAll' | 'perCaller'>,
) {
  const full = 'Too many directories are being listed; try again';
  const short = createJobQueue<ListedDirectory | null>({ ...limits, atOnce: shortAtOnce, full });
  const long = createJobQueue<ListedDirectory>({ ...limits, atOnce: 1, full });
  let isHeapFull = false;

  const entriesOf = async (listing: Listing, realPath: string, wanted: WantedListing, signal: AbortSignal) => {
    const { base, relative, contentTypeOf, hidden } = wanted;
    const entries = new Map<string, FileEntry>();
    const directory = path.join(base.path, relative, path.sep);
    const breaks = createBreaks(clock, sliceMs);
    for (let start = 0; start < Math.min(listing.count, mostEntries); start += batch) {
      signal.throwIfAborted();
      for (const listed of found(await listing.entries(start, start + batch), base, 'BAD_DIRECTORY')) {
        if (isWithheld(contained, hidden, realPath, listed.name)) continue;
        const facts = isItself(listed) ? listed : await followed(wanted, listed);
        entries.set(listed.name, toEntry(listed.name, directory + listed.name, facts, contentTypeOf));
        if (breaks.isDue()) await breaks.take();
      }
    }
    const ordered = await inSlices(clock, stoppable(inOrder(entries), signal));
    signal.throwIfAborted();
    return await prepareJson(clock, ordered);
  };

  /** The target of a link if it is inside the base; otherwise the link itself. */
  const followed = async ({ base, relative, hidden }: WantedListing, listed: Listed): Promise<FileFacts> => {
    const target = await findServed(contained, hidden, base, path.join(relative, listed.name));
    if (typeof target !== 'string') {
      target.close();
      return target;
    }
    return listed.kind === 'elsewhere' ? unanswered : listed;
  };

  /** null: it has more than `most` names; the caller queues it as a long listing. */
  const list = async (wanted: WantedListing, signal: AbortSignal, most: number): Promise<ListedDirectory | null> => {
    const { base, relative, hidden } = wanted;
    signal.throwIfAborted();
    const directory = found(await findServed(contained, hidden, base, relative), base, 'BAD_DIRECTORY');
    try {
      if (directory.kind !== 'directory') throw baseRefusal('not_regular', base, 'BAD_DIRECTORY');
      const listing = found(await directory.list(), base, 'BAD_DIRECTORY');
      if (listing.count > most) return null;
      const entries = await entriesOf(listing, directory.realPath, wanted, signal);
      const isCut = listing.count > mostEntries;
      return { entries, message: isCut ? `Only ${mostEntries} of its ${listing.count} entries are listed` : '' };
    } finally {
      directory.close();
    }
  };

  /** Once the last listing is on its way: otherwise several are garbage before the runtime collects the first. */
  const collectGarbage = async () => {
    await createBreaks(clock, 0).take();
    ownMemory.collect();
  };

  return {
    /** `hidden`: the setting files.hidden. */
    async of(
      base: BaseDirectory,
      relative: string,
      contentTypeOf: ContentTypeOf,
      requester: Asker,
      hidden = true,
    ): Promise<ListedDirectory> {
      const wanted = { base, relative, contentTypeOf, hidden };
      const key = JSON.stringify([base.path, path.normalize(relative), hidden]);
      const listed = await short.run(key, requester, (signal) => list(wanted, signal, batch));
      if (listed !== null) return listed;
      return await long.run(key, requester, async (signal) => {
        if (isHeapFull) await collectGarbage();
        const all = await list(wanted, signal, Number.POSITIVE_INFINITY);
        isHeapFull = (all?.entries.length ?? 0) > muchGarbage;
        return all ?? { entries: [], message: '' };
      });
    },
  };
}

/** Ends at the next step after an abort. */
function* stoppable<T>(work: Generator<void, T>, signal: AbortSignal): Generator<void, T> {
  for (;;) {
    signal.throwIfAborted();
    const step = work.next();
    if (step.done === true) return step.value;
    yield;
  }
}

const isItself = ({ kind }: Listed) => kind !== 'link' && kind !== 'elsewhere';

/** A mount that does not answer is a directory. */
const unanswered: FileFacts = { kind: 'directory', size: 0, modifiedMs: 0, mode: 0o040000 };

function* inOrder(entries: ReadonlyMap<string, FileEntry>): Generator<void, FileEntry[]> {
  const ordered: FileEntry[] = [];
  for (const name of yield* sorted([...entries.keys()])) {
    const entry = entries.get(name);
    if (entry !== undefined) ordered.push(entry);
    if (ordered.length % 1000 === 0) yield;
  }
  return ordered;
}
