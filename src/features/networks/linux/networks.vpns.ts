import { IFF_RUNNING, type NetlinkLink } from '@hostler/netlink/link.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { NetworkVpn } from '../networks.schema.ts';
import type { ActiveVpn } from './network-manager.ts';

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
export function toVpns(links: readonly NetlinkLink[], active: readonly ActiveVpn[]): NetworkVpn[] {
  const named = new Map(active.flatMap((each) => (each.interface === null ? [] : [[each.interface, each] as const])));
  const ofLinks = links.flatMap(({ name, kind, flags }): NetworkVpn[] => {
    const vpnKind = kindsOfVpns[kind ?? ''];
    if (vpnKind === undefined || fallbacks.test(name)) return [];
    const up = ((flags ?? 0) & IFF_RUNNING) !== 0;
    const connection = named.get(name);
    if (connection === undefined) return [{ name, kind: vpnKind, interface: name, up, source: 'kernel' }];
    return [{ ...describe(connection), kind: vpnKind, interface: name, up: up && connection.up }];
  });
  const listed = new Set(ofLinks.map((vpn) => vpn.interface));
  const others = active.filter((each) => each.interface === null || !listed.has(each.interface)).map(describe);
  return [...ofLinks, ...others].slice(0, mostVpns);
}

const describe = ({ name, kind, interface: through, up }: ActiveVpn): NetworkVpn => ({
  name: shownText(name, 100),
  kind: kind === 'wireguard' ? 'wireguard' : 'other',
  interface: through,
  up,
  source: 'networkmanager',
});
