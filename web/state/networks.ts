import type { ModulePayloads } from '../../src/client/client.ts';

export type Interface = ModulePayloads['networks']['networks'][number];

/** The machine talking to itself: it would count everything twice. */
export const isLoopback = ({ name, stats }: Interface) => name === 'lo' || stats.flags.includes('loopback');

/** Of containers and virtual machines: there may be hundreds of them. */
export const isVirtual = ({ name }: Interface) => /^(veth|docker|br-|virbr|vnet|tap|cni|flannel|cali)/.test(name);

/** To another network, such as WireGuard's. */
export const isTunnel = ({ name, stats }: Interface) =>
  /^(wg|tun|tailscale|zt|ppp|ipsec|gre|sit)/.test(name) || stats.flags.includes('pointopoint');

/** Only wireless interfaces have this field; of services that do not tell, by the name, since the kernel gives names by kind. */
export const isWireless = ({ name, wifi }: Interface) => wifi !== undefined || /^(wl|wlan|ath|ra\d)/.test(name);

/** As people call it: of 5180 MHz "5 GHz". */
export const bandOf = (megahertz: number) =>
  megahertz < 3000 ? '2.4 GHz' : megahertz < 5925 ? '5 GHz' : megahertz < 7200 ? '6 GHz' : `${megahertz} MHz`;

/** -50 dBm and better is all there can be, -100 dBm is nothing; as other programs count it. */
export const signalPercent = (dbm: number) => Math.max(0, Math.min(100, 2 * (dbm + 100)));
