import { useSignal } from '@preact/signals';
import type { ModulePayloads } from '../../src/client/client.ts';
import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Reasons } from '../parts/reasons.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { useModule } from '../state/live.ts';
import { bytes, rate } from '../units.ts';

type Connection = ModulePayloads['networks']['connections'][number];
type Interface = ModulePayloads['networks']['networks'][number];

export function Network() {
  const networks = useModule('networks');
  if (networks === null) return <Reasons module="networks" />;
  return (
    <>
      <div class="cards">
        <Card title="Traffic">
          <Chart
            history="network"
            lines={['Received', 'Sent']}
            format={rate}
            label="Network traffic over the last 15 minutes"
          />
          <p class="small">
            {bytes(networks.io?.bytes_recv)} received and {bytes(networks.io?.bytes_sent)} sent since the start
          </p>
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
  const speed = stats.speed === null || stats.speed === 0 ? '' : ` · ${stats.speed} Mbit/s`;
  return (
    <Card title={name} figure={stats.isup === true ? 'up' : 'down'}>
      <dl>
        {addresses.map(({ family, address, netmask }) => (
          <>
            <dt>{family}</dt>
            <dd title={netmask ?? ''}>{address}</dd>
          </>
        ))}
      </dl>
      <p class="small">
        MTU {stats.mtu ?? '–'}
        {speed}
        {stats.duplex === '' ? '' : ` · ${stats.duplex} duplex`} · {stats.flags.join(', ')}
      </p>
    </Card>
  );
}

function Connections({ connections }: { connections: readonly Connection[] }) {
  const processes = useModule('processes');
  const wanted = useSignal('');
  const names = new Map(processes?.map(({ id, name }) => [id, name]));
  const nameOf = ({ pid }: Connection) => (pid === null ? null : (names.get(pid) ?? String(pid)));
  const columns: Column<Connection>[] = [
    { key: 'kind', title: 'Kind', value: kindOf, show: kindOf, width: 'narrow' },
    { key: 'laddr', title: 'Here', value: ({ laddr }) => laddr, show: ({ laddr }) => laddr ?? '–', width: 'wide' },
    { key: 'raddr', title: 'There', value: ({ raddr }) => raddr, show: ({ raddr }) => raddr ?? '–', width: 'wide' },
    {
      key: 'status',
      title: 'State',
      value: ({ status }) => status,
      show: ({ status }) => status ?? '–',
      secondary: true,
      width: 'middle',
    },
    {
      key: 'process',
      title: 'Process',
      value: nameOf,
      show: (row) => nameOf(row) ?? '–',
      secondary: true,
      width: 'middle',
    },
    {
      key: 'pid',
      title: 'PID',
      value: ({ pid }) => pid,
      show: ({ pid }) => pid ?? '–',
      number: true,
      secondary: true,
      width: 'narrow',
    },
  ];
  const words = wanted.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = connections.filter((row) => {
    const text = `${kindOf(row)} ${row.laddr} ${row.raddr} ${row.status} ${nameOf(row)} ${row.pid}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <div class="toolbar">
        <label>
          <span class="spoken">Filter</span>
          <input
            type="search"
            placeholder="Filter by address, port, state, process…"
            value={wanted.value}
            onInput={(event) => {
              wanted.value = event.currentTarget.value;
            }}
          />
        </label>
        <p class="quiet">
          {rows.length} of {connections.length}
        </p>
      </div>
      <VirtualTable
        rows={rows}
        columns={columns}
        rowKey={(row) => `${row.type} ${row.laddr} ${row.raddr} ${row.fd} ${row.pid}`}
        sortedBy="status"
        label="Connections"
      />
      <Reasons module="networks" fields={['connections[].pid', 'connections[].fd']} />
    </>
  );
}

/** By the numbers of AF_ and SOCK_. */
function kindOf({ family, type }: Connection): string {
  return `${type === 1 ? 'TCP' : 'UDP'}${family === 10 ? ' 6' : ''}`;
}
