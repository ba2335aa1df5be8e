import type { UnreadBudget } from '../../access/limits/unread-budget.ts';
import type { Clock } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import { longBodyOf } from './respond.ts';

/** Long answers, sent in pieces as their clients read them: the budget of unread texts has what is left of them. */
export interface UnreadAnswers {
  /** A body of these texts. Throws rate_limited. */
  stream(share: string, texts: readonly string[]): ReadableStream<Uint8Array>;
  /** The same response, in pieces if it is long. Throws rate_limited. */
  paced(response: Response, reader: () => AnswerReader): Response;
}

export interface AnswerReader {
  share: string;
  /** It has shown a valid token. */
  isKnown: boolean;
}

/** A client that reads nothing for this long loses its answer. */
const stalledMs = 60_000;
const pieceLength = 64 * 1024;

/** `unauthenticated`: of clients without a token, so that they take nothing from the others. */
export function createUnreadAnswers(clock: Clock, unread: UnreadBudget, unauthenticated: UnreadBudget): UnreadAnswers {
  const send = (
    { share, isKnown }: AnswerReader,
    whole: string | Uint8Array | number,
    pieces: Iterator<string | Uint8Array>,
  ) => {
    const release = (isKnown ? unread : unauthenticated).hold(share, whole);
    if (release === null)
      throw new ServiceError('rate_limited', 'Earlier answers to this client have not been read yet; try again', {
        retryAfterSeconds: 1,
      });
    return inPieces(clock, pieces, release);
  };
  return {
    stream: (share, texts) =>
      send(
        { share, isKnown: true },
        texts.reduce((sum, { length }) => sum + length, 0),
        texts.values(),
      ),
    paced(response, reader) {
      const body = longBodyOf(response);
      if (body === null) return response;
      const stream = send(reader(), typeof body === 'string' ? body.length : body, piecesOf(body));
      return new Response(stream, { status: response.status, headers: response.headers });
    },
  };
}

function* piecesOf(body: string | Uint8Array): Generator<string | Uint8Array> {
  for (let start = 0; start < body.length; ) {
    const end = typeof body === 'string' ? endOfPiece(body, start + pieceLength) : start + pieceLength;
    yield typeof body === 'string' ? body.slice(start, end) : body.subarray(start, end);
    start = end;
  }
}

/** Not between the halves of a character. */
const endOfPiece = (text: string, end: number) => ((text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end);

function inPieces(clock: Clock, pieces: Iterator<string | Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let cancelTimer = () => {};
  const end = () => {
    cancelTimer();
    ended();
  };
  const expectReading = (controller: ReadableStreamDefaultController) => {
    cancelTimer();
    cancelTimer = clock.after(stalledMs, () => {
      end();
      controller.error(new Error('The client does not read the answer that it asked for'));
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
        controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        expectReading(controller);
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
