import type { ModulePayloads } from '@hostler/client/client.ts';
import { Card } from '../components/card.tsx';
import { ComparedTable, comparedNames } from '../components/compared-table.tsx';
import { EventLine } from '../components/event-list.tsx';
import { Pairs } from '../components/fact-list.tsx';
import { Reasons } from '../components/reasons.tsx';
import { When } from '../components/time.tsx';
import { Link } from '../shell/route.tsx';
import { toMachineTime } from '../state/clock.ts';
import { useCompared } from '../state/compared.ts';
import { useModule } from '../state/live.ts';
import { range, rangeEnd } from '../state/range.ts';
import { bytes } from '../units.ts';
import { growthOf } from './disks/space-growth.ts';

const daySeconds = 86_400;
const series = [...comparedNames, 'disk.free/*'];
const mostShown = 12;
/** The service lists no more changes of packages. */
const mostListed = 250;

/** What changed beside the events: means, free space, packages and services. */
export function Changes() {
  const { compared } = useCompared(series, daySeconds);
  const rows = compared === null ? [] : growthOf(compared.past).filter(({ used }) => used !== 0);
  const isDay = range.value.refreshMs === null || range.value.seconds === daySeconds;
  return (
    <div class="cards">
      {compared === null || compared.series.length === 0 ? null : (
        <Card title={isDay ? 'Compared with the day before' : 'Compared with the time before'} icon="load">
          <ComparedTable series={compared.series} before="Before" />
          {compared.series.some(({ before }) => before !== null) ? null : (
            <p class="small">Nothing was recorded before, so there is nothing to compare with yet.</p>
          )}
          <Pairs
            of={rows.map(({ mountPoint, used }) => ({
              key: mountPoint,
              name: (
                <>
                  Free space on <Link to="/disks">{mountPoint}</Link>
                </>
              ),
              value: used > 0 ? `${bytes(used)} less` : `${bytes(-used)} more`,
            }))}
          />
        </Card>
      )}
      <PackageChanges />
      <ServiceStarts />
    </div>
  );
}

/** Whether something happened in the time that is shown, Unix seconds by the clock of the machine. */
function isShown(at: number): boolean {
  const to = rangeEnd.value ?? toMachineTime(Date.now() / 1000);
  const { refreshMs, seconds } = range.value;
  return at <= to && at > to - (refreshMs === null ? daySeconds : seconds);
}

function PackageChanges() {
  const updates = useModule('updates');
  if (updates === null) return null;
  const changes = updates.changes?.filter(({ at }) => isShown(at)) ?? [];
  const isCut = changes.length === mostListed;
  const count = `${changes.length}${isCut ? '+' : ''}`;
  return (
    <Card title="Packages" icon="update" figure={updates.changes === null ? undefined : count}>
      {updates.changes !== null && changes.length === 0 ? (
        <p class="quiet">No package was installed, upgraded or removed in this time.</p>
      ) : null}
      <PackageList changes={changes.slice(0, mostShown)} />
      {changes.length > mostShown ? (
        <details class="unknown">
          <summary>{changes.length - mostShown} more</summary>
          <PackageList changes={changes.slice(mostShown)} />
        </details>
      ) : null}
      {isCut ? <p class="small">Only the last {mostListed} changes are listed.</p> : null}
      <Reasons module="updates" fields={['changes']} />
    </Card>
  );
}

type PackageChange = NonNullable<ModulePayloads['updates']['changes']>[number];

function PackageList({ changes }: { changes: readonly PackageChange[] }) {
  return (
    <ul class="events">
      {changes.map(({ at, name, from, to }) => (
        <EventLine
          key={`${at} ${name} ${to}`}
          icon={from === '' ? 'add' : to === '' ? 'remove' : 'update'}
          time={<When at={at * 1000} />}
        >
          {name} <span class="quiet">{versionsOf(from, to)}</span>
        </EventLine>
      ))}
    </ul>
  );
}

function versionsOf(from: string, to: string): string {
  if (from === '') return `${to} was installed`;
  return to === '' ? `${from} was removed` : `${from} → ${to}`;
}

function ServiceStarts() {
  const services = useModule('services');
  const boot = useModule('system')?.boot_time ?? 0;
  // With the machine everything starts.
  const started = (services?.units ?? [])
    .filter(
      ({ since, active_state }) =>
        since !== null && isShown(since) && since > boot + 300 && active_state !== 'inactive',
    )
    .toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0));
  if (started.length === 0 && !isShown(boot)) return null;
  return (
    <Card title="Services" icon="services" figure={started.length === 0 ? undefined : String(started.length)}>
      <ul class="events">
        {started.slice(0, mostShown).map(({ name, scope, since, active_state }) => (
          <EventLine key={`${scope} ${name}`} icon="services" time={<When at={since === null ? null : since * 1000} />}>
            <Link to={`/services?unit=${encodeURIComponent(name)}`}>{name}</Link>{' '}
            <span class="quiet">{active_state === 'failed' ? 'failed' : 'was started'}</span>
          </EventLine>
        ))}
        {isShown(boot) ? (
          <EventLine icon="machine" time={<When at={boot * 1000} />}>
            The machine was started
          </EventLine>
        ) : null}
      </ul>
    </Card>
  );
}
