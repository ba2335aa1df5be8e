import type { Files } from '../../../host/linux/files.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';

/** Interfaces with a default route, the preferred one first. */
export function defaultInterfaces(files: Files): { ipv4: string[]; ipv6: string[] } {
  return {
    ipv4: parseRoutes4(files.text(`${netDirectory(files)}/route`) ?? ''),
    ipv6: parseRoutes6(files.text(`${netDirectory(files)}/ipv6_route`) ?? ''),
  };
}

const RTF_UP = 0x1;
const RTF_REJECT = 0x200;

/** Iface Destination Gateway Flags RefCnt Use Metric Mask … */
export function parseRoutes4(text: string): string[] {
  return preferred(
    text.split('\n').map((line) => {
      const [name = '', destination, , flags = '', , , metric = '', mask] = line.trim().split(/\s+/);
      return { name, isDefault: destination === '00000000' && mask === '00000000', flags, metric: Number(metric) };
    }),
  );
}

/** Destination, prefix length, source, its prefix length, next hop, metric, references, use, flags, interface; all in hex. */
export function parseRoutes6(text: string): string[] {
  return preferred(
    text.split('\n').map((line) => {
      const [destination = '', prefix, , , , metric = '', , , flags = '', name = ''] = line.trim().split(/\s+/);
      return {
        name,
        isDefault: /^0{32}$/.test(destination) && prefix === '00',
        flags,
        metric: Number.parseInt(metric, 16),
      };
    }),
  );
}

function preferred(routes: { name: string; isDefault: boolean; flags: string; metric: number }[]): string[] {
  const usable = routes.filter(({ name, isDefault, flags }) => {
    const bits = Number.parseInt(flags, 16);
    return isDefault && name !== '' && name !== 'lo' && (bits & RTF_UP) !== 0 && (bits & RTF_REJECT) === 0;
  });
  return [...new Set(usable.sort((a, b) => a.metric - b.metric).map(({ name }) => name))];
}

export type Ipv6Flags = ReturnType<typeof readIpv6Flags>;

/** By address as 32 hex digits. `tentative`: or a duplicate. https://tldp.org/HOWTO/Linux+IPv6-HOWTO/ch11s04.html */
export function readIpv6Flags(files: Files) {
  const lines = (files.text(`${netDirectory(files)}/if_inet6`) ?? '').split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [address = '', , , , flags = ''] = line.trim().split(/\s+/);
      const bits = Number.parseInt(flags, 16);
      return [
        address,
        { temporary: (bits & 0x01) !== 0, deprecated: (bits & 0x20) !== 0, tentative: (bits & 0x48) !== 0 },
      ];
    }),
  );
}

/** An IPv6 address as 32 hex digits, as the kernel lists it. */
export function ipv6Digits(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groups = (part: string | undefined) => (part ? part.split(':') : []);
  const before = groups(head);
  const after = groups(tail);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  return [...before, ...Array<string>(zeros).fill('0'), ...after]
    .map((group) => group.padStart(4, '0'))
    .join('')
    .toLowerCase();
}
