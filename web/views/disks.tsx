import { Card } from '../parts/card.tsx';
import { Chart } from '../parts/chart.tsx';
import { Meter } from '../parts/meter.tsx';
import { Reasons } from '../parts/reasons.tsx';
import { useModule } from '../state/live.ts';
import { bytes, celsius, rate } from '../units.ts';

export function Disks() {
  const disks = useModule('disks');
  if (disks === null) return <Reasons module="disks" />;
  return (
    <>
      <div class="cards">
        <Card title="Traffic">
          <Chart
            history="disk"
            lines={['Read', 'Written']}
            format={rate}
            label="Disk traffic over the last 15 minutes"
          />
        </Card>
        {disks.devices.map(({ name, partitions, io_counters, temperature }) => (
          <Card key={name} title={name} figure={temperature === null ? undefined : celsius(temperature)}>
            {partitions.map(({ mount_point, device, filesystem_type, category, usage, options }) => (
              <div key={mount_point} class="mount">
                <Meter
                  label={mount_point}
                  value={usage?.percent ?? null}
                  text={usage === null ? 'does not answer' : `${bytes(usage.used)} of ${bytes(usage.total)}`}
                />
                <p class="small" title={options}>
                  {device} · {filesystem_type}
                  {category === 'primary' ? '' : ` · ${category}`}
                  {usage === null ? '' : ` · ${bytes(usage.free)} free`}
                </p>
              </div>
            ))}
            {partitions.length === 0 ? <p class="small">Nothing of it is mounted.</p> : null}
            <p class="small">
              {bytes(io_counters?.read_bytes)} read, {bytes(io_counters?.write_bytes)} written since the start
            </p>
          </Card>
        ))}
      </div>
      <Reasons module="disks" />
    </>
  );
}
