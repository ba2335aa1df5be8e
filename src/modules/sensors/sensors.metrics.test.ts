import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { sensorsMetricsLinux } from './sensors.metrics.linux.ts';
import { sensorsMetrics } from './sensors.metrics.ts';

const core = '/sys/devices/platform/coretemp.0';
const disk = '/sys/devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0';

/** Two chips as the kernel shows them. */
const chips = {
  '/sys/class/hwmon/hwmon0': '-> ../../devices/platform/coretemp.0/hwmon/hwmon0',
  [`${core}/hwmon/hwmon0/device`]: '-> ../../../coretemp.0',
  [`${core}/hwmon/hwmon0/name`]: 'coretemp\n',
  [`${core}/hwmon/hwmon0/temp1_input`]: '45000\n',
  [`${core}/hwmon/hwmon0/temp1_label`]: 'Package id 0\n',
  '/sys/class/hwmon/hwmon1': `-> ../../${disk.slice('/sys/'.length)}/hwmon1`,
  [`${disk}/hwmon1/device`]: '-> ../../nvme0',
  [`${disk}/hwmon1/name`]: 'nvme\n',
  [`${disk}/hwmon1/temp1_input`]: '38000\n',
};

test("the sensors of the kernel have node_exporter's labels, and all have their keys", () => {
  const limits = { high: 0, critical: 100 };
  const sensors = {
    temperatures: [
      { key: 'coretemp_coretemp.0_package_id_0', temperature: 45, ...limits },
      { key: 'nvme_0000:3b:00.0_temp1', temperature: 38, ...limits },
      { key: 'kraken_liquid', temperature: 30, ...limits },
    ],
    fans: [],
    windows_sensors: null,
  };
  const host = fakeHost({ files: machineFiles(chips) });
  const metrics = [...sensorsMetricsLinux(host, sensors), ...sensorsMetrics.read(sensors)];
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.samples;
  expect(of('node_hwmon_temp_celsius')).toEqual([
    { labels: { chip: 'platform_coretemp_0', sensor: 'temp1' }, value: 45 },
    { labels: { chip: 'nvme_nvme0', sensor: 'temp1' }, value: 38 },
  ]);
  expect(of('hostler_temperature_celsius')?.map(({ labels }) => labels.sensor)).toEqual([
    'coretemp_coretemp.0_package_id_0',
    'nvme_0000:3b:00.0_temp1',
    'kraken_liquid',
  ]);
  expect(of('node_hwmon_temp_max_celsius')).toEqual([]);
});
