import type { ModulePayloads } from '@hostler/client/client.ts';
import { disksInTrouble } from '../../../src/lib/disk-problems.ts';
import { Card } from '../../components/card.tsx';
import { Columns } from '../../components/columns.tsx';
import { EventList, type PastEvent } from '../../components/event-list.tsx';
import { type Fact, Facts, Pairs } from '../../components/fact-list.tsx';
import { Meter, Quantity } from '../../components/figures.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Absences, Absent, Reasons, reasonsOf, Unknown } from '../../components/reasons.tsx';
import { Link } from '../../shell/route.tsx';
import { stateOf } from '../../state/availability.ts';
import { useMachineTime } from '../../state/clock.ts';
import { memoryOf } from '../../state/history.ts';
import { past } from '../../state/history-range-data.ts';
import { useModule } from '../../state/live.ts';
import { byDevice, sensorName, sensorTitle } from '../../state/sensor-names.ts';
import { bytes, celsius, duration, percent } from '../../units.ts';
import { TopCard } from './overview-top.tsx';

/** The machine in one line, and its problems. */
export function MachineLine() {
  const system = useModule('system');
  const active = (useModule('alerts')?.alerts ?? []).filter(({ state }) => state === 'active');
  const facts = [
    system?.platform == null ? '' : `${system.platform} ${system.platform_version}`.trim(),
    system?.kernel_version ?? '',
    [system?.ip_address_4, system?.ip_address_6].filter(Boolean)[0] ?? '',
  ];
  return (
    <div class="machine-line">
      <p>
        <b>{system?.fqdn || system?.hostname || ' '}</b>
        {facts.filter(Boolean).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {system === null ? null : (
          <span>
            <Uptime boot={system.boot_time} />
          </span>
        )}
      </p>
      {system === null ? null : (
        <ul class="notices">
          {active.slice(0, 5).map(({ id, name, text }) => (
            <li key={id}>
              <Icon name="warning" /> <Link to="/alerts">{name}</Link>: {text}
            </li>
          ))}
          <Used icon="camera" what="Camera" by={system.camera_usage} />
          <Used icon="microphone" what="Microphone" by={system.microphone_usage} />
          <FailingDisks />
          {system.pending_reboot === true ? (
            <li>
              <Icon name="restart" /> A restart is needed to complete an update.
            </li>
          ) : null}
          {system.version_newer_available === true ? (
            <li>
              <Icon name="info" /> Hostler {system.version_latest} is available.
            </li>
          ) : null}
        </ul>
      )}
    </div>
  );
}

function FailingDisks() {
  const disks = useModule('disks');
  return (disks === null ? [] : disksInTrouble(disks.devices, disks.arrays)).map((sentence) => (
    <li key={sentence} class="bad">
      <Icon name="warning" /> <Link to="/disks">{sentence}.</Link>
    </li>
  ));
}

function Used({ icon, what, by }: { icon: IconName; what: string; by: readonly string[] }) {
  return by.length === 0 ? null : (
    <li>
      <Icon name={icon} /> {what} in use by {by.join(', ')}
    </li>
  );
}

function Uptime({ boot }: { boot: number | null }) {
  const now = useMachineTime(10_000);
  return boot === null ? <>–</> : <>up {duration(Math.max(0, now - boot))}</>;
}

/** Only cards with data. */
export function OverviewLists() {
  const processes = useModule('processes') ?? [];
  const partitions = (useModule('disks')?.devices ?? [])
    .flatMap((device) => device.partitions)
    .filter(({ category }) => category === 'primary')
    .slice(0, 8);
  const sensors = useModule('sensors');
  // Inputs with nothing connected read zero, or less; the view of all sensors has them.
  const temperatures = sensors?.temperatures.filter(({ temperature }) => temperature > 0).slice(0, 10) ?? [];
  const fans = sensors?.fans.filter(({ speed_rpm }) => speed_rpm !== null && speed_rpm > 0).slice(0, 6) ?? [];
  const readings = temperatures.length + fans.length;
  const gpus = useModule('gpus')?.filter(({ memory_total }) => memory_total !== null) ?? [];
  const battery = useModule('battery');
  const devices = battery?.devices?.length ?? 0;
  const events = past.value?.data.events.toReversed().slice(0, 6) ?? [];
  return (
    <>
      <Columns>
        {[
          processes.length === 0 ? null : [13, <TopCard key="processes" processes={processes} />],
          partitions.length === 0 ? null : [2 * partitions.length, <StorageCard key="storage" of={partitions} />],
          readings === 0 ? null : [readings, <SensorsCard key="sensors" temperatures={temperatures} fans={fans} />],
          gpus.length === 0 ? null : [2 * gpus.length, <GpusCard key="gpus" gpus={gpus} />],
          battery === null || (battery.percentage === null && devices === 0)
            ? null
            : [2 + devices, <BatteryCard key="battery" battery={battery} />],
          events.length === 0 ? null : [events.length + 2, <EventsCard key="events" events={events} />],
          [8, <HostCard key="machine" />],
        ]}
      </Columns>
      <Absences modules={['system', 'cpu', 'memory', 'networks', 'processes', 'disks', 'sensors', 'gpus', 'battery']} />
    </>
  );
}

type Partition = ModulePayloads['disks']['devices'][number]['partitions'][number];

function StorageCard({ of }: { of: readonly Partition[] }) {
  return (
    <Card title="Storage" icon="disk" onward={['/disks', 'All disks']}>
      {of.map(({ mount_point, usage }) => (
        <Meter
          key={mount_point}
          label={mount_point}
          value={usage?.percent ?? null}
          text={usage === null ? 'not responding' : `${bytes(usage.free)} free of ${bytes(usage.total)}`}
        />
      ))}
    </Card>
  );
}

function SensorsCard({ temperatures, fans }: Pick<ModulePayloads['sensors'], 'temperatures' | 'fans'>) {
  return (
    <Card title="Temperatures and fans" icon="fan" onward={['/sensors', 'All sensors']}>
      <TemperatureGroups temperatures={temperatures} />
      <Pairs
        of={fans.map(({ key, label, speed_rpm }) => ({
          key,
          name: <span title={key}>{label || sensorTitle(key)}</span>,
          value: <Quantity text={`${speed_rpm} rpm`} />,
        }))}
      />
    </Card>
  );
}

function GpusCard({ gpus }: { gpus: ModulePayloads['gpus'] }) {
  return (
    <Card title="Graphics memory" icon="graphics" onward={['/graphics', 'All graphics']}>
      {gpus.map((gpu) => (
        <Meter key={gpu.id} label={gpu.name} {...memoryOf(gpu)} />
      ))}
    </Card>
  );
}

function BatteryCard({ battery }: { battery: ModulePayloads['battery'] }) {
  const { percentage, is_charging, time_remaining } = battery;
  const rest = time_remaining === null ? '' : `${duration(time_remaining)} until ${is_charging ? 'full' : 'empty'}`;
  return (
    <Card
      title={percentage === null ? 'Batteries of devices' : 'Battery'}
      icon={is_charging === true ? 'charging' : 'battery'}
      figure={percentage === null ? undefined : <Quantity text={percent(percentage)} />}
    >
      {percentage === null ? null : (
        <>
          <Meter label={is_charging ? 'Charging' : 'On battery'} value={percentage} text={rest} lowIsBad />
          <Unknown module="battery" of={[['time remaining', 'time_remaining', time_remaining]]} />
        </>
      )}
      {battery.devices?.map((device) => (
        <Meter
          key={device.id}
          label={device.name}
          value={device.percentage}
          text={[
            device.percentage === null ? device.level : percent(device.percentage),
            device.is_charging ? 'charging' : '',
            device.ups?.state?.replace('_', ' ') ?? '',
          ]
            .filter(Boolean)
            .join(', ')}
          lowIsBad
        />
      ))}
    </Card>
  );
}

const EventsCard = ({ events }: { events: readonly PastEvent[] }) => (
  <Card title="Recent events" icon="timeline" onward={['/timeline', 'Timeline']}>
    <EventList events={events} none="" />
  </Card>
);

function HostCard() {
  const system = useModule('system');
  if (system === null) {
    return stateOf('system')?.availability === 'unavailable' ? null : (
      <Card title="Machine" icon="machine">
        <Absent module="system" />
      </Card>
    );
  }
  const { device_info, power_usage } = system;
  // An empty list may mean that the users are unknown.
  const isKnown = system.users.length > 0 || (stateOf('system') && reasonsOf('system', ['users']).length === 0);
  const users = isKnown ? system.users : null;
  const facts: Fact[] = [
    ['Model', [device_info.manufacturer, device_info.model].filter(Boolean).join(' ') || null],
    ['System', system.platform === null ? null : `${system.platform} ${system.platform_version}`],
    ['Kernel', system.kernel_version],
    ['Addresses', [system.ip_address_4, system.ip_address_6].filter(Boolean).join(' · ') || null],
    ['Users', users === null ? null : [...new Set(users.map(({ name }) => name))].join(', ') || 'none'],
    ['Power', power_usage === null ? null : `${power_usage.toFixed(1)} W`],
    ['Hostler', system.version],
  ];
  return (
    <Card title="Machine" icon="machine">
      <Facts of={facts} />
      <Unknown
        module="system"
        of={[
          ['model', 'device_info', facts[0]?.[1]],
          ['users', 'users', users],
          ['power draw', 'power_usage', power_usage],
        ]}
      />
      <Reasons module="system" fields={[]} />
    </Card>
  );
}

type Temperature = ModulePayloads['sensors']['temperatures'][number];

/** Temperatures under the names of what they are in; the key of the sensor on hover. */
const TemperatureGroups = ({ temperatures }: { temperatures: readonly Temperature[] }) => (
  <Pairs
    of={byDevice(temperatures).flatMap(([device, sensors]) =>
      sensors.map(({ key, temperature, high }, index) => ({
        key,
        class: high > 0 && temperature >= high ? 'hot' : '',
        name: (
          <span title={key}>
            <span class={index === 0 ? '' : 'spoken'}>{device}</span>{' '}
            <span class="quiet">{sensors.length > 1 || index > 0 ? sensorName(key).channel : ''}</span>
          </span>
        ),
        value: <Quantity text={celsius(temperature)} />,
      })),
    )}
  />
);
