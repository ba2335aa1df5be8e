import { type Caller, shareIdOf } from '../../core/caller.ts';
import { jsonPartsOf, prepareJson } from '../../core/json/prepared-json.ts';
import { createPlaces } from '../../core/places.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { createSequence } from '../../lib/later.ts';
import { streamedJson } from './respond.ts';
import type { UnreadAnswers } from './unread-answers.ts';

/**
 * Answers with long lists, such as large directories. Many requests may wait for the same list and get it at once: only some of them are answered, their texts
 * are written in slices, and each is sent in parts, so that neither other callers wait for them nor copies pile up.
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
/** Lists that wait for their texts, half of them for a token; a list takes one for each `ofPlace` entries. */
const mostAtOnce = 8;
const ofPlace = 25_000;

export function asLongList(data: unknown): readonly object[] | null {
  return Array.isArray(data) && data.length > shortList ? data : null;
}

export function createSendLong(clock: Clock, { stream }: Pick<UnreadAnswers, 'stream'>): SendLong {
  const places = createPlaces(mostAtOnce, 'Too many long lists are being prepared; try again');
  const inTurn = createSequence();

  return async (caller, list, { select, around: [before, after] }) => {
    const share = shareIdOf(caller);
    const free = places.take(share, Math.ceil(list.length / ofPlace));
    if (free === null) throw places.full();
    try {
      const parts = await inTurn(async () => {
        // Selections take a while each: other work comes in between.
        await sleep(clock, 0);
        return jsonPartsOf(await prepareJson(clock, await select(list)));
      });
      return streamedJson(stream(share, [before, ...parts, after]));
    } finally {
      free();
    }
  };
}
