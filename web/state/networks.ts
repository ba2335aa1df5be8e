import type { ModulePayloads } from '@hostler/client/client.ts';
import { wifiBandOf, wifiChannelOf } from '../../src/lib/wifi-channel.ts';

export type Interface = ModulePayloads['networks']['networks'][number];

/** Loopback: it would count everything twice. */
export const isLoopback = ({ name, stats }: Interface) => name === 'lo' || stats.flags.includes('loopback');

const ofContainers = ['veth', 'bridge', 'tap', 'vxlan', 'dummy', 'ifb', 'macvlan', 'ipvlan'];

/** Of containers and virtual machines: there may be hundreds of them. */
export const isVirtual = ({ name, kind }: Interface) =>
  (kind !== undefined && ofContainers.includes(kind)) ||
  /^(veth|docker|br-|virbr|vnet|tap|cni|flannel|cali)/.test(name);

/** To another network, such as WireGuard's. */
export const isTunnel = ({ name, stats, kind }: Interface) =>
  (kind !== undefined && /^(wireguard|tun|ovpn|ppp|xfrm|vti6?|gre|sit|ipip)$/.test(kind)) ||
  /^(wg|tun|tailscale|zt|ppp|ipsec|gre|sit)/.test(name) ||
  stats.flags.includes('pointopoint');

/** Only wireless interfaces have this field. */
export const isWireless = ({ wifi }: Interface) => wifi !== undefined;

/** Readable form: of 5180 MHz "5 GHz, channel 36". */
export function channelInWords(megahertz: number): string {
  const band = wifiBandOf(megahertz);
  const channel = wifiChannelOf(megahertz);
  if (band === null) return `${megahertz} MHz`;
  return channel === null ? band : `${band}, channel ${channel}`;
}

type Security = NonNullable<NonNullable<Interface['wifi']>['security']>;

const securities: Record<Security, string> = {
  open: 'Not encrypted',
  owe: 'Enhanced Open',
  wep: 'WEP (weak)',
  'wpa-personal': 'WPA (weak)',
  'wpa-enterprise': 'WPA Enterprise (weak)',
  'wpa2-personal': 'WPA2',
  'wpa2-enterprise': 'WPA2 Enterprise',
  'wpa2-wpa3-personal': 'WPA2/WPA3',
  'wpa3-personal': 'WPA3',
  'wpa3-enterprise': 'WPA3 Enterprise',
  other: 'Encrypted',
};

/** Empty for services that do not send it. */
export const securityInWords = (security: Security | null | undefined) =>
  security === null || security === undefined ? '' : securities[security];
