import type { ModulePayloads } from '../../src/client/client.ts';
import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Meter } from '../parts/meter.tsx';
import { Absent, Reasons, Unknown } from '../parts/reasons.tsx';
import { latestOf } from '../state/history.ts';
import { useModule } from '../state/live.ts';
import { bytes, celsius, rate } from '../units.ts';

type Device = ModulePayloads['disks']['devices'][number];
type Partition = Device['partitions'][number];

const categories = { primary: '', bind: 'Bind mounts', squashfs: 'Package images' };

export function Disks() {
  const disks = useModule('disks');
  if (disks === null) return <Absent module="disks" />;
  return (
    <div class="cards">
      <Card title="Traffic" figure={`↓ ${rate(latestOf('disk', 0))} ↑ ${rate(latestOf('disk', 1))}`}>
        <Chart history="disk" format={rate} least={1000} label="Disk traffic over the last 15 minutes" />
        <Reasons module="disks" fields={['io_counters', 'devices']} />
      </Card>
      {disks.devices.map((device) => (
        <DeviceCard key={device.name} device={device} />
      ))}
    </div>
  );
}

function DeviceCard({ device: { name, partitions, io_counters, temperature } }: { device: Device }) {
  return (
    <Card title={name} figure={temperature === null ? undefined : celsius(temperature)}>
      {(['primary', 'bind', 'squashfs'] as const).map((category) => (
        <Mounts
          key={category}
          title={categories[category]}
          partitions={partitions.filter((each) => each.category === category)}
        />
      ))}
      {partitions.length === 0 ? <p class="small">Nothing on it is mounted.</p> : null}
      {io_counters === null ? null : (
        <p class="small">
          {bytes(io_counters.read_bytes)} read, {bytes(io_counters.write_bytes)} written since boot
        </p>
      )}
      <Unknown
        module="disks"
        of={[
          ['traffic', 'devices[].io_counters', io_counters],
          ['temperature', 'devices[].temperature', temperature],
        ]}
      />
    </Card>
  );
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
