import { IFF_LOOPBACK } from '@hostler/netlink/link.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { createLinkTexts } from '../../../host/linux/net/proc-net.links.ts';
import { netDirectory } from '../../../host/linux/net/proc-net.ts';
import type { InterfaceAddress } from '../../../host/network.ts';
import { once } from '../../../lib/lazily.ts';
import type { System } from '../system.schema.ts';
import { defaultInterfaces, type Ipv6Flags, ipv6Digits, readIpv6Flags } from './routes.ts';

type Addresses = Pick<System, 'ip_address_4' | 'ip_address_6' | 'mac_address'>;

/** The addresses of the interfaces with the default routes, by which others reach this machine. */
export function readAddresses(host: AddressedHost, reasons: Reasons): Addresses {
  const { files } = host;
  const all = allAddresses(host);
  if (all === null) {
    for (const field of ['ip_address_4', 'ip_address_6', 'mac_address']) reasons.missing(field, unreachable);
    return { ip_address_4: '', ip_address_6: '', mac_address: '' };
  }
  const routes = defaultInterfaces(files);
  const flags = once(() => readIpv6Flags(files));
  const addresses = all.filter(({ internal }) => !internal);
  // Without a route, a network card comes before a bridge or a tunnel.
  const isCard = (name: string) => files.exists(`/sys/class/net/${name}/device`);
  const others = once(() => {
    const names = [...new Set(addresses.map((address) => address.interface))];
    return [...names.filter(isCard), ...names.filter((name) => !isCard(name))];
  });

  const bestOf = (name: string, family: 4 | 6) => {
    const candidates = addresses.filter((address) => address.interface === name && address.family === family);
    const [best] = candidates.length > 1 ? candidates.sort((a, b) => rank(a, flags()) - rank(b, flags())) : candidates;
    return best;
  };
  const pick = (family: 4 | 6, preferred: string[]) =>
    firstOf(preferred, (name) => bestOf(name, family)) ?? firstOf(others(), (name) => bestOf(name, family)) ?? null;
  const ipv4 = pick(4, routes.ipv4);
  const ipv6 = addresses.some(({ family }) => family === 6) ? pick(6, routes.ipv6) : null;
  const macOf = (name: string) => hardwareAddress(name, files, addresses) || undefined;
  const addressed = [ipv4, ipv6].flatMap((address) => address?.interface ?? []);
  const hardware = firstOf([...addressed, ...routes.ipv4, ...routes.ipv6], macOf) ?? firstOf(others(), macOf);

  if (ipv4 === null) reasons.inherent('ip_address_4', 'No network interface has an IPv4 address');
  if (ipv6 === null) reasons.inherent('ip_address_6', 'No network interface has an IPv6 address');
  if (hardware === undefined) reasons.inherent('mac_address', 'No connected network interface has a hardware address');
  return {
    ip_address_4: ipv4?.address ?? '',
    ip_address_6: ipv6?.address.split('%')[0] ?? '',
    mac_address: hardware ?? '',
  };
}

type AddressedHost = Pick<LinuxHost, 'files' | 'network' | 'identity'>;

/** null: not visible from here. */
function allAddresses({ files, network, identity }: AddressedHost): InterfaceAddress[] | null {
  if (identity.sharesNetwork) return network.addresses();
  return files.exists(`${netDirectory(files)}/dev`) ? readMachineAddresses(files) : null;
}

const unreachable =
  'The network of this process is not that of the machine at HOSTLER_ROOT, whose /proc/1/net cannot be read; mount its /proc as well, or give the container the network of the machine (--network=host)';

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Lower is better: a longer lifetime and a wider scope. */
function rank({ family, address }: InterfaceAddress, flags: Ipv6Flags): number {
  if (family === 4) return address.startsWith('169.254.') ? 1 : 0;
  const digits = ipv6Digits(address);
  const known = flags.get(digits);
  const linkLocal = /^fe[89ab]/.test(digits);
  const uniqueLocal = /^f[cd]/.test(digits);
  return (
    (linkLocal ? 16 : 0) +
    (known?.tentative ? 8 : 0) +
    (known?.deprecated ? 4 : 0) +
    (uniqueLocal ? 2 : 0) +
    (known?.temporary ? 1 : 0)
  );
}

/** Tunnels have none, or only zeros. */
function hardwareAddress(name: string, files: LinuxHost['files'], addresses: InterfaceAddress[]): string {
  const known =
    files.text(`/sys/class/net/${name}/address`) ?? addresses.find((address) => address.interface === name)?.mac;
  const mac = known?.trim().toLowerCase() ?? '';
  return /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac) && mac !== '00:00:00:00:00:00' ? mac : '';
}

/** The addresses of a machine in another network namespace, from the texts of its first process. */
function readMachineAddresses(files: Files): InterfaceAddress[] {
  const texts = createLinkTexts(files);
  try {
    const { links, addresses } = texts.read();
    const byIndex = new Map(links.map((link) => [link.index, link]));
    return addresses.flatMap(({ index, family, address, isLinkLocal }): InterfaceAddress[] => {
      const link = byIndex.get(index);
      if (link === undefined) return [];
      const internal = link.flags === null ? link.name === 'lo' : (link.flags & IFF_LOOPBACK) !== 0;
      const scopeId = family === 6 ? (isLinkLocal ? index : 0) : null;
      return [{ interface: link.name, family, address, mac: link.mac ?? '', internal, scopeId }];
    });
  } finally {
    texts.close();
  }
}
