import { gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import type { Services } from '../services.schema.ts';

const mostServices = 1000;
const states = ['continue pending', 'pause pending', 'paused', 'running', 'start pending', 'stop pending', 'stopped'];
const modes: Record<string, string> = { enabled: 'auto', manual: 'manual', disabled: 'disabled' };

/** Names and labels of windows_exporter. */
export const servicesMetricsWindows = (_host: WindowsHost, { units }: Services): Metric[] => {
  const ours = units.slice(0, mostServices);
  return [
    gauge(
      'windows_service_state',
      'State of each service: 1 for the state it is in',
      ours.flatMap(({ name, active_state, sub_state }) =>
        states.map(
          (state) => [{ name, state }, state === (active_state === 'failed' ? 'stopped' : sub_state)] as const,
        ),
      ),
    ),
    gauge(
      'windows_service_start_mode',
      'How each service is started: 1 for the way it is',
      ours.flatMap(({ name, enabled }) =>
        Object.entries(modes).map(([word, start_mode]) => [{ name, start_mode }, word === enabled] as const),
      ),
    ),
  ];
};
