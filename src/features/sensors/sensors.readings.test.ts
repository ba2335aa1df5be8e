// Not on Windows: the names of its recorded devices have colons.
import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { linesOf } from '../../../test/harness/metric-lines.ts';
import { sensorsMetricsLinux } from './linux/sensors.scrape.ts';
import { sensorsReadings } from './sensors.readings.ts';

const core = '/sys/devices/platform/coretemp.0';
const disk = '/sys/devices/pci0000:00/0000:00:1d.0/0000:3b:00.0/nvme/nvme0';

/** Two chips as in /sys. */
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

test("the sensors of the kernel have node_exporter's labels, and all have their keys", async () => {
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
  const metrics = [...(await sensorsMetricsLinux(host, sensors)), ...(sensorsReadings.metrics?.read(sensors) ?? [])];
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

test('chips, zones and power supplies have the names that dashboards join on', async () => {
  const supply = '/sys/class/power_supply';
  const files = machineFiles({
    ...chips,
    [`${core}/hwmon/hwmon0/temp1_crit_hyst`]: '95000\n',
    '/sys/class/thermal/thermal_zone0/type': 'acpitz\n',
    '/sys/class/thermal/thermal_zone0/temp': '27800\n',
    '/sys/class/thermal/cooling_device3/type': 'Processor\n',
    '/sys/class/thermal/cooling_device3/cur_state': '1\n',
    '/sys/class/thermal/cooling_device3/max_state': '10\n',
    [`${supply}/AC/uevent`]: 'POWER_SUPPLY_NAME=AC\nPOWER_SUPPLY_TYPE=Mains\nPOWER_SUPPLY_ONLINE=1\n',
    [`${supply}/BAT0/uevent`]:
      'POWER_SUPPLY_NAME=BAT0\nPOWER_SUPPLY_TYPE=Battery\nPOWER_SUPPLY_ENERGY_NOW=35000000\nPOWER_SUPPLY_SERIAL_NUMBER=SECRET\n',
  });
  const metrics = await sensorsMetricsLinux(fakeHost({ files }), { temperatures: [], fans: [] });
  const text = JSON.stringify(metrics);
  for (const line of [
    'node_hwmon_chip_names{chip="platform_coretemp_0",chip_name="coretemp"} 1',
    'node_hwmon_sensor_label{chip="platform_coretemp_0",sensor="temp1",label="Package id 0"} 1',
    'node_hwmon_temp_crit_hyst_celsius{chip="platform_coretemp_0",sensor="temp1"} 95',
    'node_thermal_zone_temp{zone="0",type="acpitz"} 27.8',
    'node_cooling_device_cur_state{name="3",type="Processor"} 1',
    'node_cooling_device_max_state{name="3",type="Processor"} 10',
    'node_power_supply_online{power_supply="AC"} 1',
    'node_power_supply_energy_watthour{power_supply="BAT0"} 35',
    'node_power_supply_info{power_supply="BAT0",type="Battery"} 1',
  ])
    expect(linesOf(metrics, line.split('{')[0] ?? '')).toContain(line);
  expect(text).not.toContain('SECRET');
});
