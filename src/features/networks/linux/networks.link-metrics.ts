import { IFF_UP } from '@hostler/netlink/link.ts';
import { counter, gauge, type Metric } from '../../../core/readings/metrics.ts';
import type { Files } from '../../../host/linux/files.ts';
import { numberIn } from '../../../host/linux/proc/text-fields.ts';
import { keptFor } from '../../../lib/cache-by-object.ts';

const directory = '/sys/class/net';

/** https://docs.kernel.org/admin-guide/abi-testing-files.html (sysfs-class-net) */
const attributes = [
  [
    'addr_assign_type',
    'address_assign_type',
    'Where the hardware address comes from: 0 the device, 1 chance, 3 the user',
  ],
  ['carrier', 'carrier', 'Whether there is a link'],
  ['dev_id', 'device_id', 'Number of the port of its card'],
  ['dormant', 'dormant', 'Whether it waits for another, such as a sign-in'],
  ['flags', 'flags', 'Flags of the interface'],
  ['ifindex', 'iface_id', 'Number of the interface'],
  ['iflink', 'iface_link', 'Number of the interface it is built on'],
  ['link_mode', 'iface_link_mode', 'How it comes up: 0 automatically, 1 when a program activates it'],
  ['mtu', 'mtu_bytes', 'Largest packet (MTU)'],
  ['name_assign_type', 'name_assign_type', 'Where its name comes from: 1 the kernel, 2 a rule, 3 the user, 4 renamed'],
  ['netdev_group', 'net_dev_group', 'Group of interfaces it belongs to'],
  ['type', 'protocol_type', 'Kind of the interface'],
  ['tx_queue_len', 'transmit_queue_length', 'Packets that can wait to be sent'],
] as const;

const changes = [
  ['carrier_changes', 'carrier_changes', 'How often the link came or went'],
  ['carrier_up_count', 'carrier_up_changes', 'How often the link came'],
  ['carrier_down_count', 'carrier_down_changes', 'How often the link went'],
] as const;

interface ExportedLink {
  device: string;
  operstate: string;
  isUp: boolean;
  /** By file name; missing ones are left out. */
  texts: ReadonlyMap<string, string>;
}

/** Drivers may have to query the device, and these rarely change: read after a change of the link, and at intervals. */
const cachedMs = 60_000;

const knownLinks = keptFor(
  (_files: Files) => new Map<string, { state: string; readAt: number; texts: ReadonlyMap<string, string> }>(),
);

export function linkMetrics(files: Files, now: number): Metric[] {
  const links = readLinks(files, now);
  const each = (file: string) =>
    links.map(({ device, texts }) => [{ device }, numberIn(texts.get(file) ?? null)] as const);
  return [
    ...attributes.map(([file, name, help]) => gauge(`node_network_${name}`, help, each(file))),
    ...changes.map(([file, name, help]) => counter(`node_network_${name}`, help, each(file))),
    gauge(
      'node_network_up',
      'Whether the state of the interface is "up"',
      links.map(({ device, operstate }) => [{ device }, operstate === 'up']),
    ),
    gauge(
      'hostler_network_up',
      'Whether an interface is up and has a link',
      links.map(({ device, operstate, isUp }) => [{ device }, isUp && /^(up|unknown)$/.test(operstate)]),
    ),
    gauge(
      'node_network_speed_bytes',
      'Link speed, bytes per second',
      // Negative where the driver does not know it, as in node_exporter.
      each('speed').map(([labels, megabits]) => [labels, megabits === null ? null : megabits * 125_000]),
    ),
    gauge(
      'node_network_info',
      'What is not a number about an interface',
      links.map(({ device, operstate, texts }) => {
        const [address = '', broadcast = '', duplex = '', ifalias = ''] = words.map((file) => texts.get(file));
        return [{ device, address, broadcast, duplex, operstate, ifalias }, 1];
      }),
    ),
  ];
}

const words = ['address', 'broadcast', 'duplex', 'ifalias'];
/** The kernel refuses these for an interface that is down, and a refusal costs more than a read. */
const onlyWhenUp = new Set(['carrier', 'dormant', 'speed', 'duplex']);

function readLinks(files: Files, now: number): ExportedLink[] {
  const known = knownLinks(files);
  const devices = files.list(directory);
  for (const device of known.keys()) if (!devices.includes(device)) known.delete(device);
  return devices.flatMap((device): ExportedLink[] => {
    const text = (file: string) => files.text(`${directory}/${device}/${file}`)?.trim() ?? '';
    const flags = text('flags');
    const bits = numberIn(flags);
    // The file bonding_masters is among them.
    if (bits === null) return [];
    const operstate = text('operstate');
    const isUp = (bits & IFF_UP) !== 0;
    const state = `${flags} ${operstate} ${text('carrier_changes')}`;
    const last = known.get(device);
    if (last !== undefined && last.state === state && now - last.readAt < cachedMs)
      return [{ device, operstate, isUp, texts: last.texts }];
    const names: string[] = [...attributes.map(([file]) => file), ...changes.map(([file]) => file), 'speed', ...words];
    const texts = new Map(names.filter((file) => isUp || !onlyWhenUp.has(file)).map((file) => [file, text(file)]));
    known.set(device, { state, readAt: now, texts });
    return [{ device, operstate, isUp, texts }];
  });
}
