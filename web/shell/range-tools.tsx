import { toChartTime, toMachineTime } from '../state/clock.ts';
import { comparable, comparison, range, rangeEnd } from '../state/range.ts';
import { momentOf } from '../units.ts';
import { announce } from './announcements.tsx';
import { setParameters } from './route.tsx';

/** Above recorded charts: what they are compared with, and a link to exactly this time. */
export function RangeTools() {
  if (range.value.refreshMs === null) return null;
  const end = rangeEnd.value;
  return (
    <div class="range-tools">
      {end === null ? null : (
        <p>
          Charts until {momentOf(toChartTime(end), 'minute', true)}; other values are live.{' '}
          <button type="button" class="link" onClick={() => setParameters({ to: null, at: null })}>
            Back to now
          </button>
        </p>
      )}
      {comparable.value.length === 0 ? null : (
        <label>
          Compare with{' '}
          <select
            value={comparison.value?.id ?? ''}
            onChange={({ currentTarget: { value } }) => setParameters({ compare: value === '' ? null : value })}
          >
            <option value="">nothing</option>
            {comparable.value.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      <button type="button" class="link" onClick={() => void copyLink()}>
        Copy link
      </button>
    </div>
  );
}

/** The address then holds view, range, its end and the moment. Browsers give a page without TLS no clipboard. */
async function copyLink(): Promise<void> {
  setParameters({ to: String(rangeEnd.value ?? Math.round(toMachineTime(Date.now() / 1000))) });
  try {
    await navigator.clipboard.writeText(location.href);
    announce('Link copied.');
  } catch {
    announce('Copy the link from the address bar.');
  }
}
