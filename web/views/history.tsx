import { Card } from '../components/card.tsx';
import { NamedChart } from '../components/chart/named-chart.tsx';
import { Empty } from '../components/empty.tsx';
import { EventList, eventKinds, type PastEvent } from '../components/event-list.tsx';
import { oneLineEach } from '../components/event-merge.ts';
import { Icon } from '../components/icon.tsx';
import { parameter, setParameters } from '../shell/route.tsx';
import { askPast } from '../state/history-series.ts';
import { useLoaded } from '../state/loaded.ts';
import { range } from '../state/range.ts';
import { Changes } from './timeline-changes.tsx';

/** Events, newest first, below the chart of the processor. The selected kind is in the address. */
export function Timeline() {
  const { id, refreshMs } = range.value;
  // The last five minutes are too short for a list of events.
  const last = refreshMs === null ? '24h' : id;
  // Only events are needed, but a query without a recorded series is an error: memory is recorded where the processor is not.
  const load = () => askPast({ last, series: ['cpu', 'memory'], step: 3600 });
  const { data: past, asked } = useLoaded(load, { everyMs: 30_000, on: [last] });
  const events = oneLineEach(past?.events ?? []);
  const wanted = parameter('kind');
  const shown = events.filter(({ kind }) => wanted === null || kind === wanted).toReversed();
  return (
    <>
      <Card title="Processor" icon="processor">
        <NamedChart of="cpu" size="low" />
      </Card>
      <div class="beside">
        <Changes />
        <div>
          <Kinds events={events} wanted={wanted} />
          {past === null ? (
            <p class="quiet">{asked ? 'The service does not report its history.' : 'Loading…'}</p>
          ) : (
            <Days events={shown} none={last} />
          )}
        </div>
      </div>
      {past?.recording === false ? (
        <p class="notice">Nothing is being recorded: history.enabled is off in the settings.</p>
      ) : null}
    </>
  );
}

function Kinds({ events, wanted }: { events: readonly PastEvent[]; wanted: string | null }) {
  const counts = new Map<string, number>();
  for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  if (counts.size < 2) return null;
  return (
    <fieldset class="chips">
      <legend class="spoken">Kind of event</legend>
      {[...counts].map(([kind, count]) => (
        <button
          key={kind}
          type="button"
          class="chip"
          aria-pressed={wanted === kind}
          onClick={() => setParameters({ kind: wanted === kind ? null : kind })}
        >
          <Icon name={eventKinds[kind]?.icon ?? 'info'} /> {eventKinds[kind]?.title ?? kind} <small>{count}</small>
        </button>
      ))}
    </fieldset>
  );
}

function Days({ events, none }: { events: readonly PastEvent[]; none: string }) {
  if (events.length === 0)
    return (
      <Empty icon="timeline" sentence={`Nothing happened within ${none}.`}>
        Starts, sleep, logins, mounts, failures and actions are listed here. Choose a longer range above.
      </Empty>
    );
  const days = Map.groupBy(events, ({ at }) => new Date(at).toDateString());
  return (
    <div class="days">
      {[...days].map(([day, of]) => (
        <Card key={day} title={dayName(day)}>
          <EventList events={of} none="" ofOneDay />
        </Card>
      ))}
    </div>
  );
}

function dayName(day: string): string {
  const now = Date.now();
  if (day === new Date(now).toDateString()) return 'Today';
  if (day === new Date(now - 86_400_000).toDateString()) return 'Yesterday';
  return day;
}
