import type { ModulePayloads } from '../../src/client/client.ts';

export type Interface = ModulePayloads['networks']['networks'][number];

/** The machine talking to itself: it would count everything twice. */
export const isLoopback = ({ name, stats }: Interface) => name === 'lo' || stats.flags.includes('loopback');

/** Of containers and virtual machines: there may be hundreds of them. */
export const isVirtual = ({ name }: Interface) => /^(veth|docker|br-|virbr|vnet|tap|cni|flannel|cali)/.test(name);

/** By its name, since the kernel gives names by kind. */
export const isWireless = ({ name }: Interface) => /^(wl|wlan|ath|ra\d)/.test(name);
