import { useSignal } from '@preact/signals';
import type { ModulePayloads } from '../../src/client/client.ts';
import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Filter, filtered } from '../parts/filter.tsx';
import { Absent, Reasons } from '../parts/reasons.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { latestOf } from '../state/history.ts';
import { useModule } from '../state/live.ts';
import { bytes, rate } from '../units.ts';

type Connection = ModulePayloads['networks']['connections'][number];
type Interface = ModulePayloads['networks']['networks'][number];

export function Network() {
  const networks = useModule('networks');
  if (networks === null) return <Absent module="networks" />;
  return (
    <>
      <div class="cards">
        <Card title="Traffic" figure={`↓ ${rate(latestOf('network', 0))} ↑ ${rate(latestOf('network', 1))}`}>
          <Chart history="network" format={rate} least={1000} label="Network traffic over the last 15 minutes" />
          {networks.io === null ? (
            <Reasons module="networks" fields={['io']} />
          ) : (
            <p class="small">
              {bytes(networks.io.bytes_recv)} received and {bytes(networks.io.bytes_sent)} sent since boot
            </p>
          )}
        </Card>
        {networks.networks.map((each) => (
          <InterfaceCard key={each.name} interface={each} />
        ))}
      </div>
      <h2 class="section">Connections</h2>
      <Connections connections={networks.connections} />
    </>
  );
}

function InterfaceCard({ interface: { name, addresses, stats } }: { interface: Interface }) {
  const facts = [
    stats.mtu === null ? '' : `MTU ${stats.mtu}`,
    stats.speed ? `${stats.speed} Mbit/s` : '',
    stats.duplex === '' ? '' : `${stats.duplex} duplex`,
    stats.flags.join(', '),
  ];
  return (
    <Card title={name} figure={stats.isup === null ? undefined : stats.isup ? 'up' : 'down'}>
      <dl>
        {addresses.map(({ family, address, netmask }) => (
          <div key={`${family} ${address}`}>
            <dt>{family}</dt>
            <dd title={netmask ?? undefined}>{address}</dd>
          </div>
        ))}
      </dl>
      <p class="small">{facts.filter(Boolean).join(' · ')}</p>
    </Card>
  );
}

function Connections({ connections }: { connections: readonly Connection[] }) {
  const processes = useModule('processes');
  const wanted = useSignal('');
  const names = new Map(processes?.map(({ id, name }) => [id, name]));
  const nameOf = ({ pid }: Connection) => (pid === null ? null : (names.get(pid) ?? String(pid)));
  const columns: Column<Connection>[] = [
    { key: 'process', title: 'Process', value: nameOf, show: (row) => nameOf(row) ?? '–', width: 'broad' },
    {
      key: 'pid',
      title: 'PID',
      value: ({ pid }) => pid,
      show: ({ pid }) => pid ?? '–',
      number: true,
      secondary: true,
      width: 'narrow',
    },
    { key: 'kind', title: 'Protocol', value: kindOf, show: kindOf, secondary: true, width: 'narrow' },
    { key: 'laddr', title: 'Local address', value: ({ laddr }) => laddr, show: ({ laddr }) => laddr, width: 'wide' },
    {
      key: 'raddr',
      title: 'Remote address',
      value: ({ raddr }) => raddr,
      show: ({ raddr }) => raddr ?? '–',
      width: 'wide',
    },
    {
      key: 'status',
      title: 'State',
      value: ({ status }) => status,
      show: ({ status }) => status,
      secondary: true,
      width: 'middle',
    },
  ];
  const rows = filtered(
    connections,
    wanted.value,
    (row) => `${kindOf(row)} ${row.laddr} ${row.raddr} ${row.status} ${nameOf(row)} ${row.pid}`,
  );
  return (
    <>
      <Filter
        value={wanted}
        placeholder="Filter by address, port, state, process…"
        shown={rows.length}
        of={connections.length}
      />
      <VirtualTable rows={rows} columns={columns} sortedBy="process" descending={false} label="Connections" />
      <Reasons module="networks" fields={connections.some(({ pid }) => pid === null) ? ['connections[].pid'] : []} />
    </>
  );
}

/** By the numbers of AF_ and SOCK_. */
function kindOf({ family, type }: Connection): string {
  return `${type === 1 ? 'TCP' : 'UDP'}${family === 10 ? ' 6' : ''}`;
}
