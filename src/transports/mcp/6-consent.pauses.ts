import { createPauses, type Paces, type Pauses } from '../../lib/prompt-backoff.ts';

/** Between the questions of agents; an asker is a token. */
export type QuestionPauses = Pauses;

const paces: Paces = {
  /** 10, 20, 40 s … 15 minutes: one question in 8 s, ten in the first hour, four in each hour after that. */
  perAsker: { free: 0, firstMs: 10_000, mostMs: 15 * 60_000, forgiveMs: 10 * 60_000 },
  /** Gentle enough that one of them alone hardly ever keeps the others from asking. */
  overall: { free: 3, firstMs: 10_000, mostMs: 5 * 60_000, forgiveMs: 60_000 },
  /** Tokens are at most a hundred. */
  most: 1024,
};

export const createQuestionPauses = (monotonic: () => number): QuestionPauses => createPauses(paces, monotonic);
