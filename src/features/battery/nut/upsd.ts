import type { OpenStream } from '@hostler/io/byte-stream.ts';
import type { Clock } from '../../../lib/clock.ts';
import { shownText } from '../../../lib/printable-text.ts';

export interface ListedUps {
  name: string;
  /** From ups.conf; empty: none. */
  description: string;
  variables: ReadonlyMap<string, string>;
  /** The error of upsd where it has no variables, such as `DATA-STALE`. */
  problem: string | null;
}

export interface UpsdAddress {
  host: string;
  port: number;
}

/** Whether it connects, lists and answers everything. */
const limitMs = 3000;
const longestLine = 1024;
/** 16 UPSes with about 200 variables each. */
const mostBytes = 256 * 1024;
const mostUps = 16;
const usableName = /^[\w.-]{1,64}$/;

/**
 * All UPSes of upsd with their variables, over one connection that only reads and does not log in.
 * https://networkupstools.org/docs/developer-guide.chunked/net-protocol.html
 */
export async function readUpsd(open: OpenStream, clock: Clock, { host, port }: UpsdAddress): Promise<ListedUps[]> {
  const place = `${host}:${port}`;
  const lines = createLines(place);
  const cancel = clock.after(limitMs, () => lines.fail(`${place} did not answer within ${limitMs / 1000} s`));
  try {
    const stream = await open({ host, port, tls: null, webSocket: null }, lines, limitMs);
    try {
      const send = (...commands: string[]) => stream.send(new TextEncoder().encode(`${commands.join('\n')}\n`));
      send('LIST UPS');
      const { items, problem } = await readList(lines.next, 'UPS');
      if (problem !== null) throw new Error(`${place} refuses to list its UPSes: ${problem}`);
      // A name is sent back, so it must be one word.
      const named = items.filter(([name = '']) => usableName.test(name)).slice(0, mostUps);
      if (named.length > 0) send(...named.map(([name]) => `LIST VAR ${name}`));
      const found: ListedUps[] = [];
      for (const [name = '', description = ''] of named) {
        const answer = await readList(lines.next, 'VAR', name);
        const variables = new Map(answer.items.map(([variable = '', value = '']) => [variable, value]));
        found.push({ name, description, variables, problem: answer.problem });
      }
      send('LOGOUT');
      return found;
    } finally {
      stream.close();
    }
  } finally {
    cancel();
  }
}

/** `BEGIN LIST VAR apc`, lines `VAR apc battery.charge "100"`, `END LIST VAR apc`; or `ERR DATA-STALE`. */
async function readList(
  next: () => Promise<string>,
  ...query: string[]
): Promise<{ items: string[][]; problem: string | null }> {
  const first = await next();
  const [, problem] = /^ERR ([A-Z-]{1,64})/.exec(first) ?? [];
  if (problem !== undefined) return { items: [], problem };
  if (first !== `BEGIN LIST ${query.join(' ')}`) throw unexpected(first);
  const items: string[][] = [];
  for (let line = await next(); line !== `END LIST ${query.join(' ')}`; line = await next()) {
    const words = parseWords(line);
    if (query.some((word, index) => words[index] !== word)) throw unexpected(line);
    items.push(words.slice(query.length));
  }
  return { items, problem: null };
}

const unexpected = (line: string) =>
  new Error(`the answer ${JSON.stringify(shownText(line, 40))} is not that of an upsd (NUT)`);

/** Words, or texts in quotation marks, in which a backslash escapes a character. */
export function parseWords(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s"]+)/g)].map(
    ([, quoted, word = '']) => quoted?.replace(/\\(.)/g, '$1') ?? word,
  );
}

function createLines(place: string) {
  const decoder = new TextDecoder();
  const ready: string[] = [];
  let rest = '';
  let bytes = 0;
  let failure: Error | null = null;
  let wake = () => {};
  const fail = (sentence: string) => {
    failure ??= new Error(sentence);
    wake();
  };
  return {
    fail,
    data(received: Uint8Array) {
      bytes += received.length;
      if (bytes > mostBytes) return fail(`${place} sent more than ${mostBytes / 1024} KiB`);
      const parts = (rest + decoder.decode(received, { stream: true })).split('\n');
      rest = parts.pop() ?? '';
      if ([rest, ...parts].some(({ length }) => length > longestLine))
        return fail(`${place} sent a line of more than ${longestLine} characters`);
      ready.push(...parts.map((line) => line.trimEnd()));
      wake();
    },
    closed: (error: Error | null) => fail(error?.message ?? `${place} closed the connection`),
    async next(): Promise<string> {
      for (;;) {
        const line = ready.shift();
        if (line !== undefined) return line;
        if (failure !== null) throw failure;
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}
