import { useEffect, useRef } from 'preact/hooks';
import { timeInWords } from '../../src/lib/units.ts';
import { BusiestProcesses } from '../components/busiest-processes.tsx';
import { EventList } from '../components/event-list.tsx';
import { Icon } from '../components/icon.tsx';
import { useEscape } from '../components/use-escape.ts';
import { toChartTime } from '../state/clock.ts';
import { askPast } from '../state/history-series.ts';
import { useLoaded } from '../state/loaded.ts';
import type { Past } from '../state/past-charts.ts';
import { moment, selectMoment } from '../state/range.ts';
import { duration, percent, relative } from '../units.ts';

/** What was recorded within this many seconds belongs to a moment: a sample a minute at least, after a day a step of five minutes. */
const widthOf = (at: number) => (Date.now() / 1000 - toChartTime(at) < 86_400 ? 30 : 150);

const eventSeconds = 300;

export function Moment() {
  const at = moment.value;
  return at === null ? null : <MomentAt key={at} at={at} />;
}

function MomentAt({ at }: { at: number }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const width = widthOf(at);
  // First, because it notes what had the focus.
  useEscape(() => selectMoment(null));
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const within = (seconds: number) => ({
    from: Math.round((at - seconds) * 1000),
    to: Math.round((at + seconds) * 1000),
  });
  const { data: past, asked } = useLoaded(() => askPast({ ...within(width), series: ['cpu', 'memory', 'load'] }));
  // The cause may be somewhat earlier.
  const { data: around } = useLoaded(() => askPast({ ...within(Math.max(width, eventSeconds)), series: ['cpu'] }));
  return (
    <section class="moment" aria-label="Moment">
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {timeInWords(toChartTime(at))} <span class="quiet">{relative(toChartTime(at) * 1000, Date.now())}</span>
        </h2>
        <button type="button" class="bare" aria-label="Close" onClick={() => selectMoment(null)}>
          <Icon name="close" />
        </button>
      </header>
      {past === null ? (
        <p class="quiet">{asked ? 'Nothing was recorded then.' : 'Looking it up…'}</p>
      ) : (
        <div class="moment-parts">
          <div>
            <h3>Busiest processes</h3>
            <BusiestProcesses past={past} />
          </div>
          <div>
            <h3>Events</h3>
            <EventList
              events={(around?.events ?? []).toReversed().slice(0, 20)}
              none={`No events within ${duration(Math.max(width, eventSeconds))} of it.`}
            />
            <Vitals past={past} />
          </div>
        </div>
      )}
    </section>
  );
}

function Vitals({ past }: { past: Past }) {
  const most = (name: string) => {
    const values = past.series.find((each) => each.name === name)?.most.filter((value) => value !== null) ?? [];
    return values.length === 0 ? null : Math.max(...values);
  };
  const facts: [string, string | null][] = [
    ['processor', most('cpu') === null ? null : percent(most('cpu'))],
    ['memory', most('memory') === null ? null : percent(most('memory'))],
    ['load', most('load')?.toFixed(2) ?? null],
  ];
  const known = facts.flatMap(([name, text]) => (text === null ? [] : [`${name} ${text}`]));
  return known.length === 0 ? null : <p class="small">At most: {known.join(' · ')}</p>;
}
