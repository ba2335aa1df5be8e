import fs from 'node:fs';
import path from 'node:path';
import { modules } from '../../../src/modules/index.ts';
import { root } from './service.ts';

/** Payloads by module; what is not there is unavailable, with a reason. */
export type RecordedMachine = Record<string, unknown>;

/** Machines put together from what their modules say about the recorded ones. */
export const recordedMachines: Record<string, () => RecordedMachine> = {
  laptop: () => ({
    cpu: expected('cpu', 'laptop-with-a-core-off'),
    memory: expected('memory', 'laptop-swapping'),
    battery: expected('battery', 'laptop-discharging'),
    gpus: expected('gpus', 'laptop-intel'),
    sensors: expected('sensors', 'laptop'),
    disks: expected('disks', 'laptop-luks-lvm'),
    networks: expected('networks', 'laptop-wifi-docker'),
    processes: expected('processes', 'laptop'),
    system: expected('system', 'laptop-on-battery'),
  }),
  'desktop with two GPUs': () => ({
    cpu: expected('cpu', 'desktop-amd'),
    memory: expected('memory', 'server-zfs'),
    gpus: [...list('gpus', 'desktop-amd').slice(0, 1), ...list('gpus', 'desktop-nvidia').slice(0, 1)],
    sensors: expected('sensors', 'desktop-amd'),
    disks: expected('disks', 'desktop-btrfs-snaps'),
    networks: expected('networks', 'server'),
    displays: expected('displays', 'console-two-displays'),
    processes: expected('processes', 'laptop'),
    system: expected('system', 'desktop-after-upgrade'),
  }),
  'server with 40 disks': () => ({
    cpu: expected('cpu', 'server-128-cores'),
    memory: expected('memory', 'server-zfs'),
    sensors: expected('sensors', 'server-with-40-disks'),
    disks: expected('disks', 'server-40-disks'),
    networks: expected('networks', 'server'),
    processes: expected('processes', 'server-unprivileged'),
    system: expected('system', 'server'),
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
    networks: expected('networks', 'container'),
    processes: expected('processes', 'arm-board-64k-pages'),
    system: expected('system', 'raspberry-pi'),
  }),
  'nothing at all': () => ({}),
};

/** What is pretended is what the service could say. */
export async function checkMachine(machine: RecordedMachine): Promise<void> {
  for (const { name, schema } of modules) if (name in machine) (await schema()).parse(machine[name]);
}

function expected(module: string, machine: string): unknown {
  const file = path.join(root, 'src', 'modules', module, 'fixtures', 'linux', machine, 'expected.json');
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

function list(module: string, machine: string): unknown[] {
  const found = expected(module, machine);
  return Array.isArray(found) ? found : [];
}

/** A tree of some depth, with a name that would be a script if anybody took it for one. */
function thousand(): unknown[] {
  return Array.from({ length: 1000 }, (_, index) => ({
    id: 1 + index,
    parent_id: index === 0 ? 0 : 1 + Math.floor((index - 1) / 4),
    name: index === 7 ? '<img src=x onerror=complain(1)>' : `program-${index % 80}`,
    cpu_usage: index % 10 === 0 ? (index * 7) % 90 : 0,
    memory_usage: (index % 30) / 10,
    created: 1_760_000_000 + index,
    path: `/usr/lib/program-${index % 80}/bin/main`,
    status: 'sleeping',
    username: index % 3 === 0 ? 'root' : 'somebody',
    working_directory: '/',
  }));
}
