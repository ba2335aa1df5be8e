import fs from 'node:fs';
import path from 'node:path';
import { modules } from '../../../src/features/index.ts';
import { root } from './service.ts';

/** Payloads by module; a missing one is unavailable, with a reason. */
export type RecordedMachine = Record<string, unknown>;

/** Machines composed of recorded module payloads. */
export const recordedMachines: Record<string, () => RecordedMachine> = {
  laptop: () => ({
    cpu: expected('cpu', 'laptop-with-a-core-off'),
    memory: expected('memory', 'laptop-swapping'),
    battery: expected('battery', 'laptop-discharging'),
    containers: expected('containers', 'docker-cgroup-v1'),
    gpus: expected('gpus', 'laptop-intel'),
    sensors: expected('sensors', 'laptop'),
    disks: expected('disks', 'laptop-luks-lvm'),
    networks: connected(expected('networks', 'laptop-wifi-docker')),
    processes: expected('processes', 'laptop'),
    system: expected('system', 'laptop-on-battery'),
    updates: expected('updates', 'arch-laptop'),
  }),
  'desktop with two GPUs': () => ({
    cpu: expected('cpu', 'desktop-amd'),
    memory: expected('memory', 'server-zfs'),
    gpus: [...list('gpus', 'desktop-amd').slice(0, 1), ...list('gpus', 'desktop-nvidia').slice(0, 1)],
    sensors: expected('sensors', 'desktop-amd'),
    disks: expected('disks', 'desktop-btrfs-snaps'),
    networks: expected('networks', 'server'),
    displays: expected('displays', 'console-two-displays'),
    media: twoPlayers(),
    processes: expected('processes', 'laptop'),
    system: expected('system', 'desktop-after-upgrade'),
  }),
  'server with 40 disks': () => ({
    cpu: expected('cpu', 'server-128-cores'),
    memory: expected('memory', 'server-zfs'),
    sensors: expected('sensors', 'server-with-40-disks'),
    disks: expected('disks', 'server-40-disks'),
    networks: expected('networks', 'server'),
    containers: expected('containers', 'hostile-names'),
    processes: expected('processes', 'server-unprivileged'),
    system: expected('system', 'server'),
    updates: expected('updates', 'debian-server'),
    custom: ownSensors(),
  }),
  '128 cores and 1,000 processes': () => ({
    cpu: expected('cpu', 'server-128-cores'),
    memory: expected('memory', 'server-zfs'),
    networks: expected('networks', 'server'),
    disks: expected('disks', 'server-40-disks'),
    processes: thousand(),
    system: expected('system', 'server'),
  }),
  board: () => ({
    cpu: expected('cpu', 'raspberry-pi'),
    memory: expected('memory', 'arm-board-16k-pages'),
    battery: expected('battery', 'arm-board-fuel-gauge'),
    gpus: expected('gpus', 'raspberry-pi'),
    sensors: expected('sensors', 'arm-board'),
    disks: expected('disks', 'arm-board-mmc'),
    containers: expected('containers', 'engines-in-trouble'),
    networks: expected('networks', 'container'),
    processes: expected('processes', 'arm-board-64k-pages'),
    system: expected('system', 'raspberry-pi'),
  }),
  'nothing at all': () => ({}),
};

/** Simulated payloads match the schemas. */
export async function checkMachine(machine: RecordedMachine): Promise<void> {
  for (const { name, schema } of modules) if (name in machine) (await schema()).parse(machine[name]);
}

function expected(module: string, machine: string): unknown {
  const file = path.join(root, 'src', 'features', module, 'fixtures', 'linux', machine, 'expected.json');
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

function list(module: string, machine: string): unknown[] {
  const found = expected(module, machine);
  return Array.isArray(found) ? found : [];
}

/** As if its wireless interface had found a network, with a name that would be a script if it were not escaped. */
function connected(networks: unknown): unknown {
  const { networks: interfaces, ...rest } = networks as { networks: { wifi?: unknown }[] };
  const wifi = {
    ssid: '<b>Attic</b>',
    signal: -61,
    signal_percent: 78,
    frequency: 5180,
    band: '5 GHz',
    channel: 36,
    rate: 866.7,
    receive_rate: 1201,
    security: 'wpa2-personal',
  };
  return { ...rest, networks: interfaces.map((each) => ('wifi' in each ? { ...each, wifi } : each)) };
}

/** A square of a single colour each. */
const picture = (colour: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path fill="${colour}" d="M0 0h1v1H0z"/></svg>`)}`;

function twoPlayers(): unknown {
  const player = (name: string, title: string, is_current: boolean) => ({
    name,
    identity: name.toUpperCase(),
    is_current,
    status: is_current ? 'PLAYING' : 'PAUSED',
    title,
    artist: 'The Oscillators',
  });
  return {
    title: 'Slow waves',
    artist: 'The Oscillators',
    album_title: 'Test tones',
    album_artist: null,
    subtitle: null,
    type: 'music',
    status: 'PLAYING',
    position: 61,
    duration: 240,
    playback_rate: 1,
    volume: 80,
    shuffle: false,
    repeat: 'NONE',
    track_number: 1,
    updated_at: 1_760_000_000,
    thumbnail: picture('teal'),
    is_play_enabled: true,
    is_pause_enabled: true,
    is_stop_enabled: true,
    is_next_enabled: true,
    is_previous_enabled: true,
    is_fast_forward_enabled: true,
    is_rewind_enabled: true,
    players: [
      player('mpv', 'Slow waves', true),
      { ...player('vlc', 'Pink rain', false), thumbnail: picture('crimson') },
      {
        ...player('firefox', 'A video with a title that is longer than there is room for on a phone', false),
        artist: null,
      },
    ],
  };
}

/** One of each kind, with texts that would be scripts if they were not escaped, and longer than there is room for. */
function ownSensors(): unknown {
  const base = { unit: '', at: 1_760_000_000, error: null };
  return {
    sensors: [
      { ...base, id: 'queue', name: 'Mail queue', unit: 'mails', parse: 'number', value: 17 },
      {
        ...base,
        id: 'text',
        name: '<b>Last backup</b>',
        parse: 'text',
        value: `<img src=x onerror=complain(1)> ${'long '.repeat(80)}`,
      },
      { ...base, id: 'lines', name: 'Failed logins', parse: 'lines', value: ['root from 192.0.2.1', 'x'.repeat(400)] },
      { ...base, id: 'door', name: 'Garage door', parse: 'json', value: { state: 'open', since: [1, 2, null] } },
      {
        ...base,
        id: 'failing',
        name: 'Solar power',
        unit: 'W',
        parse: 'number',
        value: 412.5,
        error: 'Its command exited with code 3',
      },
      {
        ...base,
        id: 'never',
        name: 'Well',
        unit: 'm',
        parse: 'number',
        value: null,
        at: null,
        error: `/${'deep/'.repeat(40)} does not exist`,
      },
    ],
  };
}

/** A tree of some depth, with a name that would be a script if it were not escaped. */
function thousand(): unknown[] {
  return Array.from({ length: 1000 }, (_, index) => ({
    id: 1 + index,
    parent_id: index === 0 ? 0 : 1 + Math.floor((index - 1) / 4),
    name: index === 7 ? '<img src=x onerror=complain(1)>' : `program-${index % 80}`,
    cpu_usage: index % 10 === 0 ? (index * 7) % 90 : 0,
    memory_usage: (index % 30) / 10,
    created: 1_760_000_000 + index,
    start_time: 1000 + index,
    path: `/usr/lib/program-${index % 80}/bin/main`,
    status: 'sleeping',
    username: index % 3 === 0 ? 'root' : 'user',
    working_directory: '/',
  }));
}
