import type { ThreadJob } from '../../lib/thread.ts';
import { threadAnswers } from '../../lib/thread-calls.ts';
import { containedProblemOf } from './contained.opened.ts';
import type { FromLineThread, ToLineThread } from './contained.thread-protocol.ts';
import type { LocalEntry, LocalFile, LocalListing, Outcome } from './contained.ts';

interface Held {
  entries: Map<number, LocalEntry>;
  files: Map<number, LocalFile>;
  /** By the number of their entries. */
  listings: Map<number, LocalListing>;
}

type Find = (base: string, relative: string) => Outcome<LocalEntry>;

/** Finds, opens and reads the files of one mount in a thread, which may hang with it; see contained.thread-protocol.ts. */
export const servingFiles =
  (find: Find): ThreadJob =>
  async (post) => {
    const held: Held = { entries: new Map(), files: new Map(), listings: new Map() };
    return {
      receive: threadAnswers(
        post,
        (message) => attempt(find, message as ToLineThread, held),
        ({ bytes }) => (bytes === undefined ? [] : [bytes.buffer]),
      ),
    };
  };

function attempt(find: Find, message: ToLineThread, held: Held): FromLineThread {
  try {
    return handle(find, message, held);
  } catch (error) {
    return { problem: containedProblemOf(error) };
  }
}

function handle(find: Find, message: ToLineThread, { entries, files, listings }: Held): FromLineThread {
  switch (message.call) {
    case 'find': {
      const found = find(message.base, message.relative);
      if (typeof found === 'string') return { problem: found };
      entries.set(message.id, found);
      const { open, list, listAtOnce, close, ...facts } = found;
      return { facts };
    }
    case 'open': {
      const opened = entries.get(message.of)?.open() ?? 'missing';
      if (typeof opened === 'string') return { problem: opened };
      files.set(message.id, opened);
      return {};
    }
    case 'read': {
      const bytes = files.get(message.of)?.read(message.start, message.end);
      return bytes === undefined ? { problem: 'missing' } : { bytes };
    }
    case 'list': {
      const listing = entries.get(message.of)?.listAtOnce(message.untouched) ?? 'missing';
      if (typeof listing === 'string') return { problem: listing };
      listings.set(message.of, listing);
      return { count: listing.count };
    }
    case 'entries': {
      const listed = listings.get(message.of)?.entries(message.start, message.end) ?? 'missing';
      return typeof listed === 'string' ? { problem: listed } : { listed };
    }
    case 'close': {
      const held = entries.get(message.of) ?? files.get(message.of);
      entries.delete(message.of);
      files.delete(message.of);
      listings.delete(message.of);
      held?.close();
      return {};
    }
  }
}
