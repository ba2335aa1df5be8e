import { type Caller, shareIdOf } from '../../core/caller.ts';
import { jsonOf, prepareJson } from '../../core/json/prepared-json.ts';
import { createPlaces } from '../../core/places.ts';
import type { Clock } from '../../lib/clock.ts';
import { streamedJson } from './respond.ts';

/**
 * Answers with long lists, such as large directories. Many requests may wait for the same list and get it at once: only some of them are answered, their texts
 * are written in slices, and each is sent in pieces of one text, so that neither other callers wait for them nor copies pile up.
 */
export type SendLong = (
  caller: Pick<Caller, 'tokenId' | 'shareId'>,
  list: readonly object[],
  parts: {
    /** What of the list is sent. */
    select(list: readonly object[]): Promise<readonly object[]>;
    /** The text around the list. */
    around: readonly [before: string, after: string];
  },
) => Promise<Response>;

/** Some 200 KB. */
const shortList = 1000;
/** Half of them for a token. */
const mostAtOnce = 8;
/** A client that reads nothing for this long loses its place. */
const stalledMs = 60_000;
const pieceLength = 64 * 1024;

export function asLongList(data: unknown): readonly object[] | null {
  return Array.isArray(data) && data.length > shortList ? data : null;
}

export function createSendLong(clock: Clock): SendLong {
  const places = createPlaces(mostAtOnce, 'Too many long lists are being sent; try again');
  let last: Promise<unknown> = Promise.resolve();

  /** Selections take a while each: one after the other, with other work in between. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(() => new Promise<void>((resolve) => void clock.after(0, resolve))).then(work);
    last = result.catch(() => {});
    return result;
  };

  return async (caller, list, { select, around: [before, after] }) => {
    const free = places.take(shareIdOf(caller));
    if (free === null) throw places.full();
    try {
      const text = await inTurn(async () => jsonOf(await prepareJson(clock, await select(list))));
      return streamedJson(inPieces(clock, [before, text, after], free));
    } catch (error) {
      free();
      throw error;
    }
  };
}

function inPieces(clock: Clock, texts: readonly string[], ended: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = piecesOf(texts);
  let cancelTimer = () => {};
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    cancelTimer();
    ended();
  };
  const expectReading = (controller: ReadableStreamDefaultController) => {
    cancelTimer();
    cancelTimer = clock.after(stalledMs, () => {
      end();
      controller.error(new Error('The client does not read the list that it asked for'));
    });
  };
  return new ReadableStream(
    {
      start: expectReading,
      pull(controller) {
        const { value, done } = pieces.next();
        if (done === true) {
          end();
          return controller.close();
        }
        controller.enqueue(encoder.encode(value));
        expectReading(controller);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

function* piecesOf(texts: readonly string[]): Generator<string, undefined> {
  for (const text of texts)
    for (let start = 0; start < text.length; ) {
      const end = start + pieceLength;
      // A pair of surrogates is one character.
      const isCut = /[\ud800-\udbff]/.test(text.charAt(end - 1));
      yield text.slice(start, isCut ? end + 1 : end);
      start = isCut ? end + 1 : end;
    }
}
