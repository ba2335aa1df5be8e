import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { btrfsErrors } from './array-btrfs.ts';
import type { DriveStates } from './drive-health.ts';

/** Errors on each drive of a btrfs file system, named as in node_exporter. */
export function btrfsErrorMetrics(files: Files): Metric[] {
  const errors = btrfsErrors(files);
  if (errors.length === 0) return [];
  return [
    counter(
      'node_btrfs_device_errors',
      'Errors on a drive of a file system',
      errors.map(({ uuid, device, type, count }) => [{ uuid, device, type }, count]),
    ),
  ];
}

/** The attributes of ATA drives, named as in smartctl_exporter. */
export function attributeMetrics(states: DriveStates): Metric[] {
  const samples = [...states].flatMap(([device, state]) =>
    'reading' in state && state.reading !== null
      ? state.reading.attributes.flatMap(({ id, name, value, worst, threshold, raw, prefail }) =>
          Object.entries({ value, worst, thresh: threshold, raw }).map(([type, number]) => {
            const labels = {
              device,
              attribute_id: String(id),
              attribute_name: name,
              attribute_flags_long: prefail ? 'prefailure' : '',
              attribute_value_type: type,
            };
            return [labels, number] as const;
          }),
        )
      : [],
  );
  return samples.length === 0 ? [] : [gauge('smartctl_device_attribute', 'What an ATA drive counts', samples)];
}
