import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { EventList } from '../../components/event-list.tsx';
import { Reasons } from '../../components/reasons.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { Link } from '../../shell/route.tsx';
import { askPast } from '../../state/history-series.ts';
import { useModule } from '../../state/live.ts';
import type { Past } from '../../state/past-charts.ts';
import { type OpenPorts, openPorts } from './safety-checks.ts';
import { AccessChecks, DriveChecks, UpdateChecks } from './safety-lines.tsx';

/** Is it safe: updates, open ports, who has access, failed sign-ins, drives. */
export function Safety() {
  const networks = useModule('networks');
  const processes = useModule('processes');
  const names = useMemo(() => new Map(processes?.map(({ id, name }) => [id, name])), [processes]);
  const ports = openPorts(networks?.connections ?? [], names);
  return (
    <div class="cards">
      <Card title="Is it safe?" icon="safe" wide>
        <ul class="answers">
          <UpdateChecks />
          <DriveChecks />
          <AccessChecks ports={ports} />
        </ul>
      </Card>
      <div class="cards wide">
        <Card title="Open ports" icon="network">
          <PortTable ports={ports} />
          <Reasons
            module="networks"
            fields={
              ports.some(({ program }) => program === null) ? ['connections', 'connections[].pid'] : ['connections']
            }
          />
          <p class="small">
            Programs that accept connections. A firewall in front of them is not taken into account.{' '}
            <Link to="/network">All connections</Link>
          </p>
        </Card>
        <SignIns />
      </div>
    </div>
  );
}

function PortTable({ ports }: { ports: readonly OpenPorts[] }) {
  if (ports.length === 0) return <p class="quiet">No program waits for connections.</p>;
  return (
    <table class="phone-rows">
      <TableHead texts={['Program', 'From the network', 'From this machine only']} />
      <tbody>
        {ports.map(({ program, pid, everywhere, local }) => (
          <tr key={program ?? ''}>
            <td>
              {program === null || pid === null ? (
                'Unknown program'
              ) : (
                <Link to={`/processes?pid=${pid}`}>{program}</Link>
              )}
            </td>
            <td class="wrap" data-label="From the network">
              {everywhere.join(', ') || '–'}
            </td>
            <td class="wrap" data-label="From this machine only">
              {local.join(', ') || '–'}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const week = '7d';
/** Events that concern access. */
const kinds = new Set(['sign_in', 'session', 'access']);

function SignIns() {
  const events = useSignal<Past['events'] | null>(null);
  useEffect(() => {
    void askPast({ last: week, series: ['cpu', 'memory'], step: 86_400 }).then((past) => {
      events.value = past?.events.filter(({ kind }) => kinds.has(kind)).toReversed() ?? [];
    });
  }, []);
  const wrong = events.value?.filter(({ kind }) => kind === 'sign_in').length ?? 0;
  return (
    <Card title="Sign-ins" icon="key">
      {events.value === null ? (
        <p class="quiet">Loading…</p>
      ) : (
        <>
          <p>
            {wrong === 0
              ? 'No wrong token or code was received in the last 7 days.'
              : `Wrong tokens or codes were received ${wrong === 1 ? 'once' : `${wrong} times`} in the last 7 days.`}
          </p>
          <EventList events={events.value.slice(0, 12)} none="No user logged in during this time." />
        </>
      )}
    </Card>
  );
}
