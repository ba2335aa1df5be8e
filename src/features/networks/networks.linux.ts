import { IFF_RUNNING, type NetlinkLink } from '@hostler/netlink/link.ts';
import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { followLinks, type LinkFollower } from '../../host/linux/net/link-changes.ts';
import { inSlices } from '../../lib/slices.ts';
import { type ActiveVpns, createActiveVpns } from './linux/network-manager.ts';
import { type ConnectionReader, createConnectionReader } from './linux/networks.connections.ts';
import { createInterfaceReader, type InterfaceReader } from './linux/networks.interfaces.ts';
import type { Networks, NetworkVpn } from './networks.schema.ts';

interface Readers {
  interfaces: InterfaceReader;
  connections: ConnectionReader;
}

export const networksLinux: CreateSource<Networks, LinuxHost> = (host) => {
  let readers: Readers | null = null;
  const vpns = createActiveVpns(host.dbus.system, host.clock);
  let follower: LinkFollower | null = null;

  const read = (from: Readers, reasons: Reasons) =>
    inSlices(host.clock, readNetworks(from, follower?.wasQuiet() ?? false, vpns, reasons));

  const open = async (): Promise<Readers> => {
    const [opened] = await Promise.all([openReaders(host), vpns.refresh()]);
    readers = opened;
    return opened;
  };

  return {
    read: (reasons) => (readers === null ? open().then((opened) => read(opened, reasons)) : read(readers, reasons)),
    watch(changed) {
      const started = followLinks(host.netlink, host.clock, changed);
      follower = started;
      const stopVpns = vpns.watch(changed);
      return () => {
        started.stop();
        stopVpns();
      };
    },
    close() {
      readers?.interfaces.close();
      readers?.connections.close();
    },
  };
};

async function openReaders(host: LinuxHost): Promise<Readers> {
  // Without netlink the text files of /proc and /sys are used.
  const netlink = await host.netlink().catch(() => null);
  return {
    interfaces: createInterfaceReader(host, netlink),
    connections: await createConnectionReader(host, netlink),
  };
}

function* readNetworks(
  { interfaces, connections }: Readers,
  unchanged: boolean,
  vpns: ActiveVpns,
  reasons: Reasons,
): Generator<void, Networks> {
  // NetworkManager is read in parallel: the payload does not wait for it, and subscribers are notified.
  void vpns.refresh();
  const { networks, io, links } = yield* interfaces.read(unchanged, reasons);
  const found = toVpns(links, vpns.known());
  if (found.some((vpn) => vpn.interface === null))
    reasons.inherent('vpns[].interface', 'NetworkManager does not report the interface of the connection');
  return { networks, connections: yield* connections.read(reasons), vpns: found, io };
}

/** Link kinds that carry a VPN; other tunnels, such as vxlan and gre, are parts of virtual networks. */
const kindsOfVpns: Record<string, NetworkVpn['kind']> = {
  wireguard: 'wireguard',
  tun: 'tun',
  ovpn: 'openvpn',
  ppp: 'ppp',
  xfrm: 'ipsec',
  vti: 'ipsec',
  vti6: 'ipsec',
};
/** Interfaces that every network namespace has once the module is loaded, and that carry nothing. */
const fallbacks = /^ip6?_vti0$/;
const mostVpns = 256;

/** From the kernel's interfaces and the connections of NetworkManager, which have better names and may lack an interface. */
function toVpns(links: readonly NetlinkLink[], active: readonly NetworkVpn[]): NetworkVpn[] {
  const named = new Map(active.flatMap((each) => (each.interface === null ? [] : [[each.interface, each] as const])));
  const ofLinks = links.flatMap(({ name, kind, flags }): NetworkVpn[] => {
    const vpnKind = kindsOfVpns[kind ?? ''];
    if (vpnKind === undefined || fallbacks.test(name)) return [];
    const up = ((flags ?? 0) & IFF_RUNNING) !== 0;
    const connection = named.get(name);
    if (connection === undefined) return [{ name, kind: vpnKind, interface: name, up, source: 'kernel' }];
    return [{ ...connection, kind: vpnKind, interface: name, up: up && connection.up }];
  });
  const listed = new Set(ofLinks.map((vpn) => vpn.interface));
  const others = active.filter((each) => each.interface === null || !listed.has(each.interface));
  return [...ofLinks, ...others].slice(0, mostVpns);
}
