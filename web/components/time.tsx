import { timeInWords } from '../../src/lib/units.ts';
import { useTime } from '../state/clock.ts';
import { relative } from '../units.ts';

/** How long ago it was, or how long it will be; the exact time on demand. */
export function When({ at }: { at: number | string | null }) {
  const now = useTime(30_000);
  if (at === null) return <>–</>;
  const ms = typeof at === 'string' ? Date.parse(at) : at;
  if (!Number.isFinite(ms)) return <>–</>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={timeInWords(ms / 1000)}>
      {relative(ms, now)}
    </time>
  );
}
