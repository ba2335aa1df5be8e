import type { Clock } from '../../lib/clock.ts';
import { createStops } from '../../lib/closing.ts';
import type { StartThread } from '../../lib/thread.ts';
import { createLine, type Line } from './contained.thread-protocol.ts';
import type { ContainedEntry, Listing, OpenedFile, Outcome, UntouchedIn } from './contained.ts';

/** Files of mounts that may hang: each mount has its own thread, so that it blocks neither the others nor the runtime's pool. */
export interface HangingFiles {
  find(mount: string, base: string, relative: string): Promise<Outcome<ContainedEntry>>;
}

/** 12 MB for the first, 6 for each further one, while it is in use. */
const mostThreads = 8;

export function createHangingFiles(
  clock: Clock,
  startThread: StartThread,
  job: string,
  untouchedIn: UntouchedIn = () => new Set(),
): HangingFiles {
  const lines = new Map<string, Line>();

  const lineFor = (mount: string): Line | null => {
    const known = lines.get(mount);
    if (known !== undefined) return known;
    if (lines.size >= mostThreads) [...lines.values()].find((line) => line.isIdle())?.end();
    if (lines.size >= mostThreads) return null;
    const line = createLine(clock, startThread, job, () => lines.delete(mount));
    lines.set(mount, line);
    return line;
  };

  return {
    async find(mount, base, relative) {
      const line = lineFor(mount);
      if (line === null) return 'crowded';
      const { id, reply } = line.ask({ call: 'find', base, relative });
      const { problem, facts } = await reply;
      if (facts === undefined) return problem ?? 'missing';
      return {
        ...facts,
        open: () => open(line, id),
        list: () => list(line, id, untouchedIn(Buffer.from(facts.realPath).toString('latin1'))),
        close: closing(line, id),
      };
    },
  };
}

async function open(line: Line, entry: number): Promise<Outcome<OpenedFile>> {
  const { id, reply } = line.ask({ call: 'open', of: entry });
  const { problem } = await reply;
  if (problem !== undefined) return problem;
  return {
    path: null,
    async read(start, end, patient = false) {
      const { problem: failed, bytes } = await line.ask({ call: 'read', of: id, start, end }, patient).reply;
      return bytes ?? failed ?? 'missing';
    },
    close: closing(line, id),
  };
}

async function list(line: Line, entry: number, untouched: ReadonlySet<string>): Promise<Outcome<Listing>> {
  const { problem, count } = await line.ask({ call: 'list', of: entry, untouched }).reply;
  if (count === undefined) return problem ?? 'missing';
  return {
    count,
    async entries(start, end) {
      const { problem: failed, listed } = await line.ask({ call: 'entries', of: entry, start, end }).reply;
      return listed ?? failed ?? 'missing';
    },
  };
}

const closing = (line: Line, id: number): (() => void) => createStops(() => line.close(id)).end;
