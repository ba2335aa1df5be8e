import {
  binarySensor,
  celsiusSensor,
  type ModuleEntities,
  percentSensor,
  rateOf,
  roundedTo,
  sensor,
  sizeSensor,
  uniqueKeys,
} from '../../core/readings/entities.ts';
import { isFailing, isImpaired } from '../../lib/disk-problems.ts';
import type { Device, Disks } from './disks.schema.ts';

const off = { isOff: true, isDiagnostic: true };

export const disksEntities: ModuleEntities<Disks> = {
  // A drive that begins to fail is told at once; disks fill slowly.
  atOnce: true,
  atMostEvery: 300,
  read({ devices, arrays }, before) {
    // Bind mounts and images of packages say the same again.
    const mounts = devices.flatMap(({ partitions }) => partitions).filter(({ category }) => category === 'primary');
    const earlier = new Map((before?.payload.devices ?? []).map((device) => [device.name, device]));
    const rate = (device: Device, counter: 'read_bytes' | 'write_bytes') => {
      const then = earlier.get(device.name)?.io_counters?.[counter];
      const perSecond = before && rateOf(device.io_counters?.[counter], then, before.seconds);
      return perSecond === null ? null : roundedTo(perSecond / 1e6, 3);
    };
    return [
      ...uniqueKeys(mounts, ({ mount_point }) => mount_point).flatMap(([key, { mount_point, usage }]) => [
        percentSensor(`disk_${key}_used`, `Disk ${mount_point} used`, usage?.percent ?? null, { icon: 'mdi:harddisk' }),
        sizeSensor(`disk_${key}_free`, `Disk ${mount_point} free`, usage?.free ?? null, 'GB', { isDiagnostic: true }),
      ]),
      ...uniqueKeys(
        devices.filter(({ io_counters, temperature }) => io_counters !== null || temperature !== null),
        ({ name }) => name,
      ).flatMap(([key, device]) => [
        celsiusSensor(`drive_${key}_temperature`, `Drive ${device.name} temperature`, device.temperature, off),
        sensor(`drive_${key}_read`, `Drive ${device.name} read`, rate(device, 'read_bytes'), {
          unit: 'MB/s',
          deviceClass: 'data_rate',
          ...off,
        }),
        sensor(`drive_${key}_write`, `Drive ${device.name} write`, rate(device, 'write_bytes'), {
          unit: 'MB/s',
          deviceClass: 'data_rate',
          ...off,
        }),
      ]),
      ...uniqueKeys(
        devices.filter(({ health }) => health !== null),
        ({ name }) => name,
      ).map(([key, { name, health }]) =>
        binarySensor(`drive_${key}_problem`, `Drive ${name} failing`, health === null ? null : isFailing(health), {
          deviceClass: 'problem',
          isDiagnostic: true,
          attributes: { ...health },
        }),
      ),
      ...uniqueKeys(arrays, ({ name }) => name).map(([key, array]) =>
        binarySensor(`array_${key}_problem`, `Array ${array.name} impaired`, isImpaired(array), {
          deviceClass: 'problem',
          isDiagnostic: true,
          attributes: { kind: array.kind, level: array.level, state: array.state, activity: array.activity },
        }),
      ),
    ];
  },
};
