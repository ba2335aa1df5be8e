import fs from 'node:fs';
import path from 'node:path';
import type { ModulePayloads } from '@hostler/client/client.ts';
import type { Page } from 'playwright-core';
import { root } from '../test/real/harness/service.ts';

type Payloads = Pick<ModulePayloads, 'services' | 'containers' | 'session' | 'clipboard' | 'disks'>;
export type PretendedModule = keyof Payloads;

const now = Math.round(Date.now() / 1000);
const [minute, hour, day] = [60, 3600, 86_400];
const mebibyte = 1024 ** 2;

/**
 * Lets a page show a server with systemd, engines, drives and a desktop, which the machine that takes the pictures lacks: the data of
 * these modules is replaced on its way into the page. Returns a function that selects the modules.
 */
export async function pretendServer(page: Page): Promise<(modules: readonly PretendedModule[]) => void> {
  const shown = new Set<string>();
  await page.routeWebSocket(/\/api\/websocket/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      const message = JSON.parse(String(text)) as { type?: string; module?: string; data?: unknown };
      const isReplaced = message.type === 'DATA_UPDATE' && shown.has(message.module ?? '');
      if (isReplaced) message.data = payloads[message.module as PretendedModule];
      socket.send(isReplaced ? JSON.stringify(message) : text);
    });
  });
  await page.route(/\/api\/(modules|actions)\?/, async (route) => {
    // Always the whole list, which is changed here.
    const headers = { ...route.request().headers(), 'if-none-match': '' };
    const response = await route.fetch({ headers }).catch(() => null);
    // On an overloaded machine: the page keeps the list that it has.
    if (response === null) return await route.abort();
    const list = (await response.json()) as { name: string }[];
    const json = list.map((entry) =>
      /^(services|containers|session|clipboard|(service|container|session)\..*)$/.test(entry.name)
        ? { ...entry, availability: 'available', reasons: [], available: true, reason: null }
        : entry,
    );
    await route.fulfill({ response, json });
  });
  return (modules) => {
    shown.clear();
    for (const name of modules) shown.add(name);
  };
}

type Unit = ModulePayloads['services']['units'][number];
type Container = ModulePayloads['containers']['containers'][number];

const unit = (name: string, description: string, rest: Partial<Unit> = {}): Unit => ({
  name,
  scope: 'system',
  description,
  allowed: false,
  load_state: 'loaded',
  active_state: 'active',
  sub_state: 'running',
  since: now - 9 * day,
  main_pid: null,
  memory: null,
  cpu_time: null,
  restarts: 0,
  enabled: 'enabled',
  ...rest,
});
const running = (main_pid: number, mebibytes: number, cpu_time: number, rest: Partial<Unit> = {}) => ({
  main_pid,
  memory: mebibytes * mebibyte,
  cpu_time,
  ...rest,
});
const dead: Partial<Unit> = { active_state: 'inactive', sub_state: 'dead', enabled: 'static' };

const units: Unit[] = [
  unit('backup.service', 'Nightly backup to the NAS', {
    active_state: 'failed',
    sub_state: 'failed',
    since: now - 7 * hour,
    restarts: 3,
    allowed: true,
  }),
  unit('apt-daily.service', 'Daily apt download activities', dead),
  unit('avahi-daemon.service', 'Avahi mDNS/DNS-SD Stack', running(712, 4, 96)),
  unit('cron.service', 'Regular background program processing daemon', running(724, 2, 41)),
  unit('dbus.service', 'D-Bus System Message Bus', running(715, 6, 310, { enabled: 'static' })),
  unit('docker.service', 'Docker Application Container Engine', running(1130, 142, 5400)),
  unit('fstrim.service', 'Discard unused blocks', dead),
  unit('jellyfin.service', 'Jellyfin Media Server', running(1388, 611, 10_900, { allowed: true, restarts: 1 })),
  unit('mosquitto.service', 'Mosquitto MQTT Broker', running(1161, 9, 720, { allowed: true })),
  unit(
    'nginx.service',
    'A high performance web server',
    running(1204, 24, 350, { since: now - 26 * hour, allowed: true }),
  ),
  unit('postgresql@15-main.service', 'PostgreSQL Cluster 15-main', running(1247, 188, 2210)),
  unit('smartmontools.service', 'Self Monitoring and Reporting Technology (SMART) Daemon', running(731, 3, 12)),
  unit('ssh.service', 'OpenBSD Secure Shell server', running(802, 5, 9)),
  unit('systemd-journald.service', 'Journal Service', running(301, 38, 260, { enabled: 'static' })),
  unit('systemd-logind.service', 'User Login Management', running(733, 4, 17, { enabled: 'static' })),
  unit('systemd-timesyncd.service', 'Network Time Synchronization', running(690, 3, 6)),
  unit(
    'syncthing.service',
    'Syncthing',
    running(2044, 96, 1830, { scope: 'user', allowed: true, since: now - 5 * hour }),
  ),
  unit('unattended-upgrades.service', 'Unattended Upgrades Shutdown', running(840, 12, 3)),
];

const stateCount = (state: string) => units.filter(({ active_state }) => active_state === state).length;

const container = (
  name: string,
  image: string,
  cpu: number,
  mebibytes: number,
  rest: Partial<Container> = {},
): Container => ({
  id: [...name]
    .map((letter) => letter.charCodeAt(0).toString(16))
    .join('')
    .padEnd(64, '7d3a')
    .slice(0, 64),
  name,
  engine: 'docker',
  image,
  state: 'running',
  health: null,
  since: now - 3 * day,
  exit_code: null,
  oom: false,
  restarts: 0,
  cpu_usage: cpu,
  cpu_seconds: cpu * 900,
  memory_used: mebibytes * mebibyte,
  memory_with_cache: mebibytes * 1.4 * mebibyte,
  memory_limit: null,
  network: {
    received_bytes: mebibytes * 4e6,
    sent_bytes: mebibytes * 9e6,
    received_per_second: cpu * 8100,
    sent_per_second: cpu * 21_000,
  },
  disk: {
    read_bytes: mebibytes * 2e6,
    written_bytes: mebibytes * 1e6,
    read_per_second: 0,
    written_per_second: cpu * 1300,
  },
  ports: [],
  compose_project: null,
  compose_service: null,
  allowed: true,
  update_available: null,
  ...rest,
});
const ended: Partial<Container> = {
  cpu_usage: null,
  cpu_seconds: null,
  memory_used: null,
  memory_with_cache: null,
  network: null,
  disk: null,
};
const published = (container_port: number, host_port: number) => ({
  container_port,
  protocol: 'tcp',
  host_address: '',
  host_port,
});
const project = (compose_project: string, compose_service: string) => ({ compose_project, compose_service });

/** A fixture server with a failing drive and an array that is being rebuilt, with current timestamps. */
function failingServer(): ModulePayloads['disks'] {
  const fixture = path.join(root, 'src/features/disks/fixtures/linux/server-raid-rebuilding/expected.json');
  const disks = JSON.parse(fs.readFileSync(fixture, 'utf8')) as ModulePayloads['disks'];
  for (const { health } of disks.devices) if (health !== null) health.read_at = now - 4 * minute;
  return disks;
}

const payloads: Payloads = {
  services: {
    manager: 'systemd',
    state: 'degraded',
    user_state: 'running',
    truncated: false,
    units,
    counts: {
      active: stateCount('active'),
      inactive: stateCount('inactive'),
      failed: stateCount('failed'),
      changing: 0,
    },
  },
  containers: {
    engines: [
      {
        id: 'docker',
        name: 'docker',
        version: '27.3.1',
        rootless: false,
        socket: '/run/docker.sock',
        reachable: true,
        problem: null,
      },
      {
        id: 'podman-rootless',
        name: 'podman',
        version: '5.2.2',
        rootless: true,
        socket: '/run/user/1000/podman/podman.sock',
        reachable: true,
        problem: null,
      },
    ],
    containers: [
      container('grafana', 'grafana/grafana:11.2.0', 1.2, 118, {
        ports: [published(3000, 3000)],
        ...project('monitoring', 'grafana'),
      }),
      container('homeassistant', 'ghcr.io/home-assistant/home-assistant:stable', 6.8, 512, {
        health: 'healthy',
        since: now - 20 * hour,
      }),
      container('immich-db', 'tensorchord/pgvecto-rs:pg14', 0.9, 231, {
        health: 'healthy',
        ...project('immich', 'database'),
      }),
      container('immich-server', 'ghcr.io/immich-app/immich-server:release', 14.6, 842, {
        health: 'unhealthy',
        restarts: 2,
        since: now - 11 * minute,
        ports: [published(2283, 2283)],
        ...project('immich', 'immich-server'),
      }),
      container('migrate', 'ghcr.io/immich-app/immich-server:release', 0, 0, {
        ...ended,
        state: 'exited',
        exit_code: 0,
        since: now - 2 * hour,
      }),
      container('prometheus', 'prom/prometheus:v2.54.1', 3.4, 274, {
        ports: [published(9090, 9090)],
        ...project('monitoring', 'prometheus'),
      }),
      container('transcode', 'localhost/ffmpeg:7', 0, 0, {
        ...ended,
        state: 'exited',
        exit_code: 137,
        oom: true,
        engine: 'podman-rootless',
        since: now - 40 * minute,
      }),
      container('vaultwarden', 'docker.io/vaultwarden/server:latest', 0.2, 41, {
        health: 'healthy',
        engine: 'podman-rootless',
      }),
    ],
  },
  session: {
    user: 'alex',
    seat: 'seat0',
    type: 'wayland',
    desktop: 'sway',
    idle: false,
    idle_since: null,
    locked: false,
    active_window: {
      title: 'Quarterly report – LibreOffice Writer',
      app: 'libreoffice-writer',
      pid: 4711,
      fullscreen: false,
    },
    do_not_disturb: false,
    night_light: true,
    power_profile: 'balanced',
    power_profiles: ['power-saver', 'balanced', 'performance'],
    keep_awake: [],
    lid_closed: false,
    on_battery: true,
    virtual_desktop: { number: 2, name: 'work', count: 4 },
  },
  clipboard: {
    content: {
      kind: 'text',
      text: 'https://example.com/invoices/2026-11',
      truncated: false,
      types: ['text/plain'],
      size: 36,
      changed_at: now - 4 * minute,
    },
  },
  disks: failingServer(),
};
