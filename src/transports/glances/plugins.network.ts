import { counted, fromModule, type GlancesPlugin } from './plugin.ts';

/** What Glances multiplies Mbit/s by; clients divide by it again. */
const megabit = 1_048_576;

const network = fromModule('networks', [], ({ now, before, seconds }, version) => {
  const earlier = new Map(before.payload.networks.map(({ name, io }) => [name, io]));
  return now.payload.networks.flatMap(({ name, io, stats }) => {
    if (io === null) return [];
    const total = ({ bytes_recv, bytes_sent }: typeof io) => ({
      bytes_recv,
      bytes_sent,
      bytes_all: bytes_recv + bytes_sent,
    });
    const first = earlier.get(name);
    const counters = counted(total(io), first ? total(first) : undefined, seconds, version);
    const shown = version === 4 ? counters : asVersion3(counters, total(io));
    const { isup, speed } = stats;
    return [
      {
        interface_name: name,
        alias: null,
        ...shown,
        is_up: isup,
        speed: (speed ?? 0) * megabit,
        key: 'interface_name',
      },
    ];
  });
});

const ip: GlancesPlugin = {
  needs: ['system', 'networks'],
  empty: {},
  make({ system, networks }) {
    const address = system?.now.payload.ip_address_4;
    if (!address) return undefined;
    const entries = networks?.now.payload.networks.flatMap(({ addresses }) => addresses) ?? [];
    const mask = entries.find((entry) => entry.address === address)?.netmask ?? null;
    return { address, mask, mask_cidr: mask === null ? null : prefixOf(mask) };
  },
};

export const networkPlugins: Record<string, GlancesPlugin> = { network, ip };

const asVersion3 = (grown: Record<string, number>, total: Record<string, number>) => ({
  time_since_update: grown.time_since_update,
  cumulative_rx: total.bytes_recv,
  rx: grown.bytes_recv,
  cumulative_tx: total.bytes_sent,
  tx: grown.bytes_sent,
  cumulative_cx: total.bytes_all,
  cx: grown.bytes_all,
});

/** 24 of 255.255.255.0. */
const prefixOf = (mask: string): number =>
  mask
    .split('.')
    .map((part) => Number(part).toString(2).replaceAll('0', '').length)
    .reduce((sum, bits) => sum + bits, 0);
