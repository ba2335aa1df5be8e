import { gauge, type Metric } from '../../core/readings/metrics.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import type { Process } from './processes.schema.ts';

/** Names of windows_exporter. */
export const processesMetricsWindows = (_host: WindowsHost, processes: Process[]): Metric[] => [
  gauge('windows_system_processes', 'Processes', processes.length),
];
