import { info } from '../../core/readings/metrics.ts';
import { otlpGauge, otlpPoints } from '../../core/readings/otlp.ts';
import { readings } from '../../core/readings/readings.ts';
import type { Row } from '../../core/readings/rows.ts';
import { capitalised } from '../../lib/capitalised.ts';
import type { System } from './system.schema.ts';

export const systemReadings = readings<System>({
  rows: [
    {
      // In whole minutes: corrections of the clock move the boot time.
      id: 'last_boot',
      name: 'Last boot',
      help: 'When the machine started, Unix time',
      value: ({ boot_time }) =>
        boot_time === null ? null : new Date(Math.round(boot_time / 60) * 60_000).toISOString(),
      entity: { deviceClass: 'timestamp', stateClass: null, isDiagnostic: true },
      prometheus: { name: 'node_boot_time_seconds', value: ({ boot_time }) => boot_time },
    },
    {
      id: 'power_usage',
      name: 'Power usage',
      help: 'Power draw of the whole machine',
      unit: 'watts',
      value: ({ power_usage }) => power_usage,
      entity: true,
      prometheus: 'hostler_power_watts',
    },
    inUse('camera', 'mdi:webcam'),
    inUse('microphone', 'mdi:microphone'),
    {
      id: 'pending_reboot',
      name: 'Restart needed',
      help: 'Whether a restart would complete an update',
      value: ({ pending_reboot }) => pending_reboot,
      entity: { deviceClass: 'problem' },
      prometheus: 'hostler_pending_reboot',
    },
    {
      // Counted once per user: a user may have several sessions.
      id: 'users',
      name: 'Users',
      help: 'User sessions',
      value: (system) => userNames(system).length,
      entity: {
        isOff: true,
        isDiagnostic: true,
        icon: 'mdi:account-multiple',
        attributes: (system) => ({ names: userNames(system) }),
      },
      prometheus: { name: 'hostler_users', value: ({ users }) => users.length },
    },
  ],
  scrape: {
    linux: async () => (await import('./linux/system.scrape.ts')).systemMetricsLinux,
    windows: async () => (await import('./windows/system.scrape.ts')).systemMetricsWindows,
  },
  metrics: ({ hostname, platform, platform_version, kernel_version, uuid }) => [
    info('hostler_machine', 'Identity of the machine', {
      hostname: hostname ?? '',
      platform: platform ?? '',
      platform_version,
      kernel: kernel_version ?? '',
      uuid: uuid ?? '',
    }),
  ],
  otlp: () => ({
    metrics(found, nowMs) {
      const uptime = (boot: number) => Math.max(0, nowMs / 1000 - boot);
      return [
        otlpGauge(
          'system.uptime',
          's',
          otlpPoints(found('node_boot_time_seconds'), () => ({}), uptime),
        ),
      ];
    },
    beganMs(found) {
      const [boot] = found('node_boot_time_seconds');
      return boot === undefined ? null : boot.value * 1000;
    },
    resource(found) {
      const { uuid, hostname, platform, platform_version: version } = found('hostler_machine')[0]?.labels ?? {};
      return Object.fromEntries(
        Object.entries({
          // Without it, Prometheus merges the numbers of all machines.
          'service.instance.id': uuid,
          'host.id': uuid,
          'host.name': hostname,
          'os.name': platform,
          'os.version': version,
        }).flatMap(([key, value]) => (value ? [[key, value]] : [])),
      );
    },
  }),
  entities: {
    atMostEvery: 60,
    read: (system) => [
      { key: 'version', component: 'update', name: 'Hostler', isDiagnostic: true, value: releaseOf(system) },
    ],
    device: ({ uuid, hostname, device_info, mac_address, ip_address_4, ip_address_6 }) => ({
      id: uuid,
      name: hostname,
      manufacturer: device_info.manufacturer,
      model: device_info.model,
      mac: mac_address || null,
      address: ip_address_4 || ip_address_6 || null,
    }),
  },
  history: {
    sets: {
      sessions: {
        kind: 'session',
        description: 'A user logged in or out',
        came: (name) => `${name} logged in`,
        went: (name) => `${name} logged out`,
        members: ({ users }) => users.map(sessionName),
      },
    },
  },
  sampler: { linux: async () => (await import('./linux/system.sampler.ts')).systemHistoryLinux },
});

function inUse(what: 'camera' | 'microphone', icon: string): Row<System> {
  const programs = (system: System) => system[`${what}_usage`];
  return {
    id: `${what}_in_use`,
    name: `${capitalised(what)} in use`,
    value: (system) => programs(system).length > 0,
    entity: { deviceClass: 'running', icon, attributes: (system) => ({ programs: programs(system) }) },
  };
}

/** `anna on pts/0 from 10.0.0.7` */
export function sessionName({ name, terminal, host }: { name: string; terminal: string; host: string }): string {
  return [name, terminal === '' ? '' : `on ${terminal}`, host === '' ? '' : `from ${host}`].filter(Boolean).join(' ');
}

const userNames = ({ users }: System) => [...new Set(users.map(({ name }) => name))];

/** Without the latest version Home Assistant would show it as up to date. */
function releaseOf({ version, version_latest, version_latest_url }: System): Record<string, string> | null {
  if (version === null || version_latest === null) return null;
  return {
    installed_version: version,
    latest_version: version_latest,
    ...(version_latest_url !== null && { release_url: version_latest_url }),
  };
}
