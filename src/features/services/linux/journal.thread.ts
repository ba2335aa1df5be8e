import fs from 'node:fs';
import { address, copyFrom, openLibrary, type Pointer, pinned } from '../../../host/ffi.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import { threadAnswers } from '../../../lib/thread-calls.ts';
import type { JournalLine, JournalReply, JournalRequest } from './journal.ts';

/** Reads the journal in a thread of its own. */
export const serveJournal: ThreadJob = async (post) => ({
  receive: threadAnswers(post, (request) => readJournal(request as JournalRequest)),
});

const localOnly = 1;
/** Limits of one line, and of all lines together. */
const mostLineBytes = 4096;
const mostBytes = 512 * 1024;
const mostMs = 5000;

/** https://www.freedesktop.org/software/systemd/man/latest/sd-journal.html */
function readJournal({ unit, scope, uid, lines: wanted }: JournalRequest): JournalReply {
  const library = openLibrary(['libsystemd.so.0'], {
    sd_journal_open: { args: ['ptr', 'i32'], returns: 'i32' },
    sd_journal_close: { args: ['ptr'], returns: 'void' },
    sd_journal_set_data_threshold: { args: ['ptr', 'u64'], returns: 'i32' },
    sd_journal_add_match: { args: ['ptr', 'ptr', 'u64'], returns: 'i32' },
    sd_journal_add_disjunction: { args: ['ptr'], returns: 'i32' },
    sd_journal_seek_tail: { args: ['ptr'], returns: 'i32' },
    sd_journal_previous: { args: ['ptr'], returns: 'i32' },
    sd_journal_get_realtime_usec: { args: ['ptr', 'ptr'], returns: 'i32' },
    sd_journal_get_data: { args: ['ptr', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
  });
  if (library === null) return { problem: 'no-library', detail: 'libsystemd.so.0' };
  const journal = library.symbols;
  const out = pinned(16);
  const view = new DataView(out.buffer);
  const opened = journal.sd_journal_open(address(out), localOnly);
  if (opened < 0) return { problem: 'failed', detail: `error ${-opened}` };
  const handle = Number(view.getBigUint64(0, true)) as Pointer;
  try {
    journal.sd_journal_set_data_threshold(handle, BigInt(mostLineBytes));
    for (const [at, terms] of matchesOf(unit, scope, uid).entries()) {
      if (at > 0) journal.sd_journal_add_disjunction(handle);
      for (const term of terms) {
        const bytes = textBytes(term);
        // The length does not count the terminating zero.
        journal.sd_journal_add_match(handle, address(bytes), BigInt(bytes.length - 1));
      }
    }
    /** null: the entry has no such field. */
    const field = (name: string): string | null => {
      const key = textBytes(name);
      if (journal.sd_journal_get_data(handle, address(key), address(out), address(out.subarray(8))) < 0) return null;
      const [place, length] = [Number(view.getBigUint64(0, true)), Number(view.getBigUint64(8, true))];
      const bytes = copyFrom(place, Math.min(length, mostLineBytes + name.length + 1));
      return new TextDecoder().decode(bytes.subarray(name.length + 1));
    };
    const found: JournalLine[] = [];
    const end = performance.now() + mostMs;
    let size = 0;
    let isCut = false;
    journal.sd_journal_seek_tail(handle);
    while (found.length < wanted && journal.sd_journal_previous(handle) > 0) {
      const text = field('MESSAGE') ?? '';
      const priority = field('PRIORITY');
      size += text.length;
      isCut = size > mostBytes || performance.now() > end;
      if (isCut) break;
      const isTimed = journal.sd_journal_get_realtime_usec(handle, address(out)) >= 0;
      const at = isTimed ? Number(view.getBigUint64(0, true)) / 1e6 : 0;
      found.push({ at, priority: /^[0-7]$/.test(priority ?? '') ? Number(priority) : null, text });
    }
    if (found.length === 0 && !hasJournal()) return { problem: 'no-journal', detail: '' };
    return { lines: found.reverse(), truncated: isCut, readable: isReadable() };
  } finally {
    journal.sd_journal_close(handle);
  }
}

/** Alternatives, each with all of its terms: what the unit wrote, and what its manager and systemd-coredump wrote about it. */
function matchesOf(unit: string, scope: 'system' | 'user', uid: number | null): string[][] {
  if (scope === 'user') {
    const whose = uid === null ? [] : [`_UID=${uid}`];
    return [
      [`_SYSTEMD_USER_UNIT=${unit}`, ...whose],
      [`USER_UNIT=${unit}`, ...whose],
    ];
  }
  return [
    [`_SYSTEMD_UNIT=${unit}`],
    [`UNIT=${unit}`, '_PID=1'],
    [`COREDUMP_UNIT=${unit}`, '_UID=0'],
    [`OBJECT_SYSTEMD_UNIT=${unit}`, '_UID=0'],
  ];
}

function textBytes(text: string): Uint8Array<ArrayBuffer> {
  const encoded = new TextEncoder().encode(`${text}\0`);
  const bytes = pinned(encoded.length);
  bytes.set(encoded);
  return bytes;
}

const directories = ['/var/log/journal', '/run/log/journal'];

/** The system journals; only some users may read them. */
function systemJournals(): string[] {
  return directories.flatMap((directory) => {
    try {
      return fs
        .readdirSync(directory)
        .map((machine) => `${directory}/${machine}/system.journal`)
        .filter((file) => fs.existsSync(file));
    } catch {
      return [];
    }
  });
}

const hasJournal = () => directories.some((directory) => fs.existsSync(directory));

function isReadable(): boolean {
  const journals = systemJournals();
  return (
    journals.length > 0 &&
    journals.every((file) => {
      try {
        fs.accessSync(file, fs.constants.R_OK);
        return true;
      } catch {
        return false;
      }
    })
  );
}
