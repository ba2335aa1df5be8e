import { useMemo } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { EventList } from '../../components/event-list.tsx';
import { Reasons } from '../../components/reasons.tsx';
import { Table } from '../../components/table.tsx';
import { Link } from '../../shell/route.tsx';
import { askPast } from '../../state/history-series.ts';
import { useModule } from '../../state/live.ts';
import { useLoaded } from '../../state/loaded.ts';
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
    <Table
      class="phone-rows"
      rows={ports}
      rowKey={({ program }) => program ?? ''}
      columns={[
        {
          title: 'Program',
          show: ({ program, pid }) =>
            program === null || pid === null ? 'Unknown program' : <Link to={`/processes?pid=${pid}`}>{program}</Link>,
        },
        { title: 'From the network', kind: 'wrap', show: ({ everywhere }) => everywhere.join(', ') || '–' },
        { title: 'From this machine only', kind: 'wrap', show: ({ local }) => local.join(', ') || '–' },
      ]}
    />
  );
}

const week = '7d';
const kinds = new Set(['sign_in', 'session', 'access']);

function SignIns() {
  const { data: past, asked } = useLoaded(() => askPast({ last: week, series: ['cpu', 'memory'], step: 86_400 }));
  const events = past?.events.filter(({ kind }) => kinds.has(kind)).toReversed() ?? [];
  const wrong = events.filter(({ kind }) => kind === 'sign_in').length;
  return (
    <Card title="Sign-ins" icon="key">
      {!asked ? (
        <p class="quiet">Loading…</p>
      ) : (
        <>
          <p>
            {wrong === 0
              ? 'No wrong token or code was received in the last 7 days.'
              : `Wrong tokens or codes were received ${wrong === 1 ? 'once' : `${wrong} times`} in the last 7 days.`}
          </p>
          <EventList events={events.slice(0, 12)} none="No user logged in during this time." />
        </>
      )}
    </Card>
  );
}
