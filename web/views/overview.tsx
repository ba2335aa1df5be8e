import { Bars } from '../parts/bars.tsx';
import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Meter } from '../parts/meter.tsx';
import { Absent, Reasons, reasonsOf, Unknown } from '../parts/reasons.tsx';
import { Link } from '../route.tsx';
import { stateOf } from '../state/availability.ts';
import { useMachineTime } from '../state/clock.ts';
import { latestOf, numbered } from '../state/history.ts';
import { useModule } from '../state/live.ts';
import { bytes, celsius, duration, megahertz, percent, rate } from '../units.ts';

export function Overview() {
  return (
    <div class="cards">
      <CpuCard />
      <MemoryCard />
      <NetworkCard />
      <DiskCard />
      <HostCard />
      <TopCard />
      <DisksCard />
      <SensorsCard />
      <GpusCard />
      <BatteryCard />
    </div>
  );
}

function HostCard() {
  const system = useModule('system');
  if (system === null) {
    return (
      <Card title="Machine">
        <Absent module="system" />
      </Card>
    );
  }
  const { fqdn, hostname, platform, platform_version, kernel_version, device_info, power_usage } = system;
  // An empty list may mean that nobody can tell.
  const told = system.users.length > 0 || (stateOf('system') && reasonsOf('system', ['users']).length === 0);
  const users = told ? system.users : null;
  const facts: [string, string | null][] = [
    ['Name', fqdn || hostname],
    ['Model', [device_info.manufacturer, device_info.model].filter(Boolean).join(' ') || null],
    ['System', platform === null ? null : `${platform} ${platform_version}`],
    ['Kernel', kernel_version],
    ['Address', [system.ip_address_4, system.ip_address_6].filter(Boolean).join(' · ') || null],
    ['Users', users === null ? null : [...new Set(users.map(({ name }) => name))].join(', ') || 'nobody'],
    ['Power', power_usage === null ? null : `${power_usage.toFixed(1)} W`],
  ];
  return (
    <Card title="Machine" figure={<Uptime boot={system.boot_time} />}>
      <dl>
        {facts.map(([name, text]) =>
          text === null ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ),
        )}
      </dl>
      <Used what="The camera" by={system.camera_usage} />
      <Used what="The microphone" by={system.microphone_usage} />
      {system.pending_reboot === true ? <p class="notice">A restart is needed to complete an update.</p> : null}
      {system.version_newer_available === true ? (
        <p class="notice">Hostler {system.version_latest} is available.</p>
      ) : null}
      <Unknown
        module="system"
        of={[
          ['model', 'device_info', facts[1]?.[1]],
          ['users', 'users', users],
          ['power draw', 'power_usage', power_usage],
        ]}
      />
    </Card>
  );
}

function Used({ what, by }: { what: string; by: readonly string[] }) {
  return by.length === 0 ? null : (
    <p class="notice">
      {what} is in use by {by.join(', ')}.
    </p>
  );
}

function Uptime({ boot }: { boot: number | null }) {
  const now = useMachineTime(1000);
  return boot === null ? <>–</> : <>up {duration(Math.max(0, now - boot))}</>;
}

function CpuCard() {
  const cpu = useModule('cpu');
  const cores = cpu?.per_cpu ?? [];
  return (
    <Card title="Processor" figure={percent(cpu?.usage)}>
      <Chart history="cpu" format={percent} max={100} label="Processor usage over the last 15 minutes" />
      {cores.length === 0 ? null : (
        <Bars values={cores.map(({ usage }) => usage)} label={`Usage of each of ${cores.length} cores`} />
      )}
      {cpu === null ? (
        <Absent module="cpu" />
      ) : (
        <p class="small">
          {[
            cpu.name ?? 'Unknown processor',
            cpu.frequency.current === null ? '' : megahertz(cpu.frequency.current),
            cpu.temperature === null ? '' : celsius(cpu.temperature),
            cpu.power === null ? '' : `${cpu.power.toFixed(1)} W`,
            cpu.load_average === null ? '' : `load ${cpu.load_average.toFixed(2)}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
      )}
      <Unknown
        module="cpu"
        of={
          cpu === null
            ? []
            : [
                ['usage', 'usage', cpu.usage],
                ['cores', 'per_cpu', cores.length === 0 ? null : cores],
                ['frequency', 'frequency.current', cpu.frequency.current],
                ['temperature', 'temperature', cpu.temperature],
                ['power draw', 'power', cpu.power],
              ]
        }
      />
    </Card>
  );
}

function MemoryCard() {
  const memory = useModule('memory');
  const { virtual, swap } = memory ?? {};
  return (
    <Card title="Memory" figure={percent(virtual?.percent)}>
      <Chart history="memory" format={percent} max={100} label="Memory in use over the last 15 minutes" />
      {memory === null ? <Absent module="memory" /> : null}
      {virtual?.total ? (
        <p class="small">
          {bytes(virtual.used)} of {bytes(virtual.total)} used · {bytes(virtual.available)} available ·{' '}
          {bytes(virtual.cached)} cached ·{' '}
          {swap?.total ? `swap ${bytes(swap.used)} of ${bytes(swap.total)}` : 'no swap'}
        </p>
      ) : null}
      {memory !== null && !virtual?.total ? <Reasons module="memory" fields={['virtual.total']} /> : null}
    </Card>
  );
}

function NetworkCard() {
  const [received, sent] = [latestOf('network', 0), latestOf('network', 1)];
  return (
    <Card title="Network" figure={`↓ ${rate(received)} ↑ ${rate(sent)}`}>
      <Chart history="network" format={rate} least={1000} label="Network traffic over the last 15 minutes" />
      <p class="small">
        All interfaces together. <Link to="/network">Interfaces and connections</Link>
      </p>
      <Reasons module="networks" fields={['io']} />
    </Card>
  );
}

function DiskCard() {
  const [read, written] = [latestOf('disk', 0), latestOf('disk', 1)];
  return (
    <Card title="Disk traffic" figure={`↓ ${rate(read)} ↑ ${rate(written)}`}>
      <Chart history="disk" format={rate} least={1000} label="Disk traffic over the last 15 minutes" />
      <p class="small">All disks together, read and written.</p>
      <Reasons module="disks" fields={['io_counters']} />
    </Card>
  );
}

function DisksCard() {
  const disks = useModule('disks');
  const partitions = disks?.devices.flatMap(({ partitions: all }) => all) ?? [];
  const shown = partitions.filter(({ category }) => category === 'primary').slice(0, 8);
  return (
    <Card title="Disks">
      {disks === null ? <Absent module="disks" /> : null}
      {shown.map(({ mount_point, usage }) => (
        <Meter
          key={mount_point}
          label={mount_point}
          value={usage?.percent ?? null}
          text={usage === null ? 'not responding' : `${bytes(usage.free)} free of ${bytes(usage.total)}`}
        />
      ))}
      {disks !== null && partitions.length === 0 ? <Reasons module="disks" fields={['devices']} /> : null}
      <Link to="/disks">All disks</Link>
    </Card>
  );
}

function SensorsCard() {
  const sensors = useModule('sensors');
  const temperatures = sensors?.temperatures ?? [];
  const fans = sensors?.fans ?? [];
  return (
    <Card title="Temperatures and fans">
      {sensors === null ? <Absent module="sensors" /> : null}
      <ul class="pairs">
        {temperatures.slice(0, 8).map(({ key, temperature, high }) => (
          <li key={key} class={high > 0 && temperature >= high ? 'hot' : ''}>
            <span>{key}</span>
            <span>{celsius(temperature)}</span>
          </li>
        ))}
        {fans.slice(0, 6).map(({ key, name, label, speed_rpm }) => (
          <li key={key}>
            <span>{[name, label].filter(Boolean).join(' ')}</span>
            <span>{speed_rpm === null ? '–' : `${speed_rpm} rpm`}</span>
          </li>
        ))}
      </ul>
      <Reasons
        module="sensors"
        fields={[temperatures.length === 0 ? 'temperatures' : '', fans.length === 0 ? 'fans' : '']}
      />
      {temperatures.length + fans.length > 0 ? <Link to="/sensors">All sensors</Link> : null}
    </Card>
  );
}

function GpusCard() {
  const gpus = useModule('gpus');
  return (
    <Card title="Graphics">
      {gpus === null ? <Absent module="gpus" /> : null}
      {gpus?.length === 0 ? <Reasons module="gpus" /> : null}
      {gpus?.length ? (
        <Chart history="gpus" format={percent} max={100} label="GPU load over the last 15 minutes" />
      ) : null}
      {gpus?.map(({ id, name, core_load, core_clock, memory_used, memory_total, temperature, power_usage }, at) => (
        <div key={id}>
          <Meter
            label={`${numbered(name, at, gpus.length)}: memory`}
            value={memory_total && memory_used !== null ? (memory_used / memory_total) * 100 : null}
            text={memory_total === null ? 'uses system memory' : `${memory_used ?? '–'} of ${memory_total} MiB`}
          />
          <p class="small">
            {[
              core_load === null ? '' : percent(core_load),
              core_clock === null ? '' : megahertz(core_clock),
              temperature === null ? '' : celsius(temperature),
              power_usage === null ? '' : `${power_usage} W`,
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
          <Unknown
            module="gpus"
            of={[
              ['load', '[].core_load', core_load],
              ['temperature', '[].temperature', temperature],
              ['power draw', '[].power_usage', power_usage],
            ]}
          />
        </div>
      ))}
    </Card>
  );
}

function BatteryCard() {
  const battery = useModule('battery');
  if (battery === null || battery.percentage === null) {
    return (
      <Card title="Battery">
        {battery === null ? <Absent module="battery" /> : <Reasons module="battery" fields={['percentage']} />}
      </Card>
    );
  }
  const { percentage, is_charging, time_remaining } = battery;
  const rest = time_remaining === null ? '' : `${duration(time_remaining)} until ${is_charging ? 'full' : 'empty'}`;
  return (
    <Card title="Battery" figure={percent(percentage)}>
      <Meter label={is_charging ? 'Charging' : 'On battery'} value={percentage} text={rest} lowIsBad />
      <Unknown module="battery" of={[['time remaining', 'time_remaining', time_remaining]]} />
    </Card>
  );
}

function TopCard() {
  const processes = useModule('processes');
  if (processes === null) {
    return (
      <Card title="Busiest processes">
        <Absent module="processes" />
      </Card>
    );
  }
  return (
    <Card title="Busiest processes">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col" class="number">
              CPU
            </th>
            <th scope="col" class="number">
              Memory
            </th>
          </tr>
        </thead>
        <tbody>
          {busiest(processes, 8).map(({ id, name, cpu_usage, memory_usage }) => (
            <tr key={id}>
              <td title={name}>{name}</td>
              <td class="number">{percent(cpu_usage, 1)}</td>
              <td class="number">{percent(memory_usage, 1)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {processes.length === 0 ? (
        <Reasons module="processes" />
      ) : (
        <Link to="/processes">All {processes.length} processes</Link>
      )}
    </Card>
  );
}

/** Without sorting thousands for the sake of a few. */
function busiest<T extends { cpu_usage: number | null }>(processes: readonly T[], count: number): T[] {
  const top: T[] = [];
  for (const process of processes) {
    const usage = process.cpu_usage ?? 0;
    if (top.length === count && usage <= (top[count - 1]?.cpu_usage ?? 0)) continue;
    const place = top.findIndex(({ cpu_usage }) => usage > (cpu_usage ?? 0));
    top.splice(place === -1 ? top.length : place, 0, process);
    if (top.length > count) top.pop();
  }
  return top;
}
