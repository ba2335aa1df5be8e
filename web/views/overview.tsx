import { Bars } from '../parts/bars.tsx';
import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Meter } from '../parts/meter.tsx';
import { Reasons } from '../parts/reasons.tsx';
import { Link } from '../route.tsx';
import { useModule } from '../state/live.ts';
import { bytes, celsius, duration, megahertz, percent, rate } from '../units.ts';

export function Overview() {
  return (
    <div class="cards">
      <HostCard />
      <CpuCard />
      <MemoryCard />
      <NetworkCard />
      <DiskCard />
      <DisksCard />
      <SensorsCard />
      <GpusCard />
      <BatteryCard />
      <TopCard />
    </div>
  );
}

function HostCard() {
  const system = useModule('system');
  return (
    <Card title="Machine" figure={system === null ? '' : `up ${duration(system.uptime)}`}>
      <dl>
        <dt>Name</dt>
        <dd>{system?.fqdn || system?.hostname || '–'}</dd>
        <dt>System</dt>
        <dd>{system === null ? '–' : `${system.platform} ${system.platform_version}`}</dd>
        <dt>Kernel</dt>
        <dd>{system?.kernel_version ?? '–'}</dd>
        <dt>Address</dt>
        <dd>{[system?.ip_address_4, system?.ip_address_6].filter(Boolean).join(' · ') || '–'}</dd>
        <dt>Users</dt>
        <dd>{system?.users.map(({ name }) => name).join(', ') || 'nobody'}</dd>
      </dl>
      {system?.pending_reboot === true ? <p class="notice">A restart is needed to finish an update.</p> : null}
    </Card>
  );
}

function CpuCard() {
  const cpu = useModule('cpu');
  const cores = cpu?.per_cpu ?? [];
  return (
    <Card title="Processor" figure={percent(cpu?.usage)}>
      <Chart
        history="cpu"
        lines={['Usage']}
        format={(value) => percent(value)}
        max={100}
        label="Processor usage over the last 15 minutes"
      />
      <Bars values={cores.map(({ usage }) => usage)} label={`Usage of each of ${cores.length} cores`} />
      <p class="small">
        {cpu?.name ?? 'Unknown processor'} · {cpu?.count ?? '?'} cores · {megahertz(cpu?.frequency?.current)} ·{' '}
        {celsius(cpu?.temperature)} · load {cpu?.load_average ?? '–'}
      </p>
    </Card>
  );
}

function MemoryCard() {
  const memory = useModule('memory');
  const { virtual, swap } = memory ?? {};
  return (
    <Card title="Memory" figure={percent(virtual?.percent)}>
      <Chart
        history="memory"
        lines={['Memory', 'Swap']}
        format={(value) => percent(value)}
        max={100}
        label="Memory and swap in use over the last 15 minutes"
      />
      <p class="small">
        {bytes(virtual?.used)} of {bytes(virtual?.total)} used · {bytes(virtual?.cached)} cached ·{' '}
        {swap?.total ? `swap ${bytes(swap.used)} of ${bytes(swap.total)}` : 'no swap'}
      </p>
    </Card>
  );
}

function NetworkCard() {
  return (
    <Card title="Network">
      <Chart
        history="network"
        lines={['Received', 'Sent']}
        format={rate}
        label="Network traffic over the last 15 minutes"
      />
    </Card>
  );
}

function DiskCard() {
  return (
    <Card title="Disk traffic">
      <Chart history="disk" lines={['Read', 'Written']} format={rate} label="Disk traffic over the last 15 minutes" />
    </Card>
  );
}

function DisksCard() {
  const disks = useModule('disks');
  const partitions = disks?.devices.flatMap(({ partitions }) => partitions) ?? [];
  return (
    <Card title="Disks">
      {partitions.map(({ mount_point, usage }) => (
        <Meter
          key={mount_point}
          label={mount_point}
          value={usage?.percent ?? null}
          text={usage === null ? 'does not answer' : `${bytes(usage.free)} free of ${bytes(usage.total)}`}
        />
      ))}
      {partitions.length === 0 ? <Reasons module="disks" /> : null}
    </Card>
  );
}

function SensorsCard() {
  const sensors = useModule('sensors');
  const temperatures = sensors?.temperatures ?? [];
  const fans = sensors?.fans ?? [];
  return (
    <Card title="Temperatures and fans">
      <ul class="pairs">
        {temperatures.slice(0, 12).map(({ key, temperature, high }) => (
          <li key={key} class={high > 0 && temperature >= high ? 'hot' : ''}>
            <span>{key}</span>
            <span>{celsius(temperature)}</span>
          </li>
        ))}
        {fans.slice(0, 8).map(({ key, name, label, speed_rpm }) => (
          <li key={key}>
            <span>{[name, label].filter(Boolean).join(' ')}</span>
            <span>{speed_rpm === null ? '–' : `${speed_rpm} rpm`}</span>
          </li>
        ))}
      </ul>
      {temperatures.length + fans.length === 0 ? <Reasons module="sensors" /> : null}
    </Card>
  );
}

function GpusCard() {
  const gpus = useModule('gpus');
  return (
    <Card title="Graphics">
      {gpus?.map(({ id, name, core_load, memory_used, memory_total, temperature, power_usage }) => (
        <div key={id}>
          <Meter label={name} value={core_load} text={percent(core_load)} />
          <p class="small">
            {memory_total === null ? 'memory unknown' : `${memory_used ?? '–'} of ${memory_total} MiB`} ·{' '}
            {celsius(temperature)} · {power_usage === null ? 'power unknown' : `${power_usage} W`}
          </p>
        </div>
      ))}
      {gpus?.length === 0 ? <Reasons module="gpus" /> : null}
    </Card>
  );
}

function BatteryCard() {
  const battery = useModule('battery');
  if (battery === null || battery.percentage === null) {
    return (
      <Card title="Battery">
        <Reasons module="battery" />
      </Card>
    );
  }
  const { percentage, is_charging, time_remaining } = battery;
  const rest = time_remaining === null ? '' : `, ${duration(time_remaining)} until ${is_charging ? 'full' : 'empty'}`;
  return (
    <Card title="Battery" figure={percent(percentage)}>
      <Meter
        label={is_charging ? 'Charging' : 'Discharging'}
        value={100 - percentage}
        text={`${percent(percentage)}${rest}`}
      />
    </Card>
  );
}

function TopCard() {
  const processes = useModule('processes');
  const top = processes?.toSorted((a, b) => (b.cpu_usage ?? 0) - (a.cpu_usage ?? 0)).slice(0, 8) ?? [];
  return (
    <Card title="Busiest processes">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th class="number">CPU</th>
            <th class="number">Memory</th>
          </tr>
        </thead>
        <tbody>
          {top.map(({ id, name, cpu_usage, memory_usage }) => (
            <tr key={id}>
              <td>{name}</td>
              <td class="number">{percent(cpu_usage, 1)}</td>
              <td class="number">{percent(memory_usage, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Link to="/processes">All {processes?.length ?? ''} processes</Link>
    </Card>
  );
}
