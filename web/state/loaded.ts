import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../../src/lib/errors.ts';
import { whileVisible } from './clock.ts';
import { request } from './live.ts';
import { set } from './set.ts';

interface Options {
  everyMs?: number;
  /** Loaded again when one of these changes. */
  on?: readonly unknown[];
  /** Loaded by `refresh` only. */
  onDemand?: boolean;
}

/** null: not loaded, or the last answer was null. */
interface Loaded<T> {
  data: T | null;
  /** Why it could not be loaded; empty: it could. */
  problem: string;
  /** There was an answer. */
  asked: boolean;
  refresh(): Promise<void>;
  /** Replaces the data. */
  put(data: T): void;
}

/** What the service answers, while the component is mounted. The last data stays when there is no newer. */
export function useLoaded<T>(
  load: () => Promise<T | null>,
  { everyMs, on = [], onDemand = false }: Options = {},
): Loaded<T> {
  const data = useSignal<T | null>(null);
  const problem = useSignal('');
  const asked = useSignal(false);
  /** A later answer may overtake an earlier one, and one for other values is not shown. */
  const { current: turns } = useRef({ last: 0, shown: 0 });
  const refresh = async () => {
    const turn = ++turns.last;
    const answer = await load().then(
      (found) => ({ found, why: '' }),
      (thrown) => ({ found: null, why: messageOf(thrown) }),
    );
    if (turn < turns.shown) return;
    turns.shown = turn;
    data.value = answer.found ?? data.value;
    problem.value = answer.why;
    asked.value = true;
  };
  const put = (next: T) => set(data, next);
  useEffect(() => {
    if (!onDemand) void refresh();
    const stop = everyMs === undefined ? null : whileVisible(everyMs, refresh);
    return () => {
      turns.shown = ++turns.last;
      stop?.();
    };
  }, on);
  return { data: data.value, problem: problem.value, asked: asked.value, refresh, put };
}

/** The data of a request, as the schemas of the service promise it. */
export const answerTo = async <T>(event: string, data?: Record<string, unknown>): Promise<T> =>
  (await request(event, data)).data as T;
