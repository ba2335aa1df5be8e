import { createPool } from '../harness/client.ts';
import { type Kind, kindsOf, type Target } from './kinds.ts';

/** Requests of every kind at a steady rate, until it is stopped. */
export interface Traffic {
  outcome(): Outcome;
  /** Resolves when everything under way has ended. */
  stop(): Promise<void>;
}

export interface Outcome {
  kinds: Map<string, { count: number; answers: Map<string, number> }>;
  /** The first of them, as sentences. */
  unexpected: string[];
  /** Set when it makes no sense to go on. */
  broken: string | null;
}

const perSecond = 200;
const tickMs = 50;
/** With more unanswered requests the service does not keep up, and no further ones are sent meanwhile. */
const maxUnderWay = 400;
const maxUnexpected = 100;

export function createTraffic(target: Omit<Target, 'pool'>): Traffic {
  const pool = createPool(target.port);
  const choices = kindsOf({ ...target, pool }).flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const outcome: Outcome = { kinds: new Map(), unexpected: [], broken: null };
  const underWay = new Set<Promise<void>>();
  let turn = 0;

  const note = (kind: Kind, answer: string, expected: boolean) => {
    const entry = outcome.kinds.get(kind.name) ?? { count: 0, answers: new Map<string, number>() };
    entry.count += 1;
    entry.answers.set(answer, (entry.answers.get(answer) ?? 0) + 1);
    outcome.kinds.set(kind.name, entry);
    if (expected) return;
    outcome.unexpected.push(`${kind.name}: ${answer}`);
    if (outcome.unexpected.length >= maxUnexpected) outcome.broken = 'Too many unexpected answers: given up';
  };

  const send = (kind: Kind) => {
    const sent: Promise<void> = kind
      .send()
      .then(
        (answer) => note(kind, answer, kind.expected.includes(answer)),
        (error) => note(kind, String(error), false),
      )
      .finally(() => underWay.delete(sent));
    underWay.add(sent);
  };

  const timer = setInterval(() => {
    for (let more = 0; more < (perSecond * tickMs) / 1000; more += 1) {
      // A stride that shares no factor with the length mixes the kinds, and gives the same order every time.
      const kind = choices[(turn * 37) % choices.length];
      turn += 1;
      if (kind !== undefined && underWay.size < maxUnderWay && outcome.broken === null) send(kind);
    }
  }, tickMs);

  return {
    outcome: () => outcome,
    async stop() {
      clearInterval(timer);
      await Promise.all(underWay);
      pool.close();
    },
  };
}
