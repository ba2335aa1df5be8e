import type { ModulePayloads } from '@hostler/client/client.ts';
import { arraysOn } from '../../../src/lib/disk-problems.ts';
import { Card } from '../../components/card.tsx';
import { NamedChart } from '../../components/chart/named-chart.tsx';
import { Sparkline } from '../../components/chart/sparkline.tsx';
import { Meter, Quantity, Traffic } from '../../components/figures.tsx';
import { Reasons, Unknown } from '../../components/reasons.tsx';
import { bytes, celsius } from '../../units.ts';
import { ArrayCard, arrayTitle, DriveHealth, type StorageArray, Troubles } from './disks-health.tsx';
import { SpaceCard } from './disks-space.tsx';

type Device = ModulePayloads['disks']['devices'][number];
type Partition = Device['partitions'][number];

const categories = { primary: '', bind: 'Bind mounts', squashfs: 'Package images' };

export function Disks({ data: disks }: { data: ModulePayloads['disks'] }) {
  return (
    <div class="cards">
      <Troubles disks={disks} />
      <SpaceCard />
      <Card title="Traffic" icon="disk" chart="disk" wide figure={<Traffic history="disk" into="read" />}>
        <NamedChart of="disk" size="tall" />
        <Reasons module="disks" fields={['io_counters', 'devices']} />
      </Card>
      {disks.devices.map((device) => (
        <DeviceCard key={device.name} device={device} arrays={disks.arrays} />
      ))}
      {disks.arrays.map((array) => (
        <ArrayCard key={`${array.kind} ${array.name}`} array={array} />
      ))}
    </div>
  );
}

interface DeviceCardProps {
  device: Device;
  arrays: readonly StorageArray[];
}

function DeviceCard({ device: { name, partitions, io_counters, temperature, health }, arrays }: DeviceCardProps) {
  const sizes = partitions.filter(({ category }) => category === 'primary').map(({ usage }) => usage?.total ?? 0);
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const facts = [
    size === 0 ? '' : `${bytes(size)} mounted`,
    `${partitions.length} ${partitions.length === 1 ? 'file system' : 'file systems'}`,
  ];
  return (
    <Card title={name} icon="disk" figure={temperature === null ? undefined : <Quantity text={celsius(temperature)} />}>
      <p class="facts">{partitions.length === 0 ? useOf(name, arrays) : facts.filter(Boolean).join(' · ')}</p>
      {io_counters === null ? null : (
        <>
          <Sparkline history={`disk/${name}`} least={1000} label={`Traffic of ${name}`} />
          <p class="both">
            <Traffic history={`disk/${name}`} into="read" />
            <span class="small">
              {bytes(io_counters.read_bytes)} read, {bytes(io_counters.write_bytes)} written since boot
            </span>
          </p>
        </>
      )}
      {health === null ? null : <DriveHealth health={health} />}
      {(['primary', 'bind', 'squashfs'] as const).map((category) => (
        <Mounts
          key={category}
          title={categories[category]}
          partitions={partitions.filter((each) => each.category === category)}
        />
      ))}
      <Unknown
        module="disks"
        of={[
          ['traffic', 'devices[].io_counters', io_counters],
          ['temperature', 'devices[].temperature', temperature ?? health?.temperature ?? null],
          ['health', 'devices[].health', health],
        ]}
      />
    </Card>
  );
}

/** Of a drive without a mount of its own. */
function useOf(name: string, arrays: readonly StorageArray[]): string {
  const found = arraysOn(name, arrays);
  return found.length === 0 ? 'Nothing on it is mounted.' : `Part of ${found.map(arrayTitle).join(', ')}.`;
}

function Mounts({ title, partitions }: { title: string; partitions: readonly Partition[] }) {
  if (partitions.length === 0) return null;
  return (
    <>
      {title === '' ? null : <h3>{title}</h3>}
      {partitions.map(({ mount_point, device, filesystem_type, usage, options }) => (
        <div key={mount_point} class="mount">
          <Meter
            label={mount_point}
            value={usage?.percent ?? null}
            text={usage === null ? 'not responding' : `${bytes(usage.used)} of ${bytes(usage.total)}`}
          />
          <p class="small" title={options}>
            {device} · {filesystem_type}
            {usage === null ? '' : ` · ${bytes(usage.free)} free`}
          </p>
        </div>
      ))}
    </>
  );
}
