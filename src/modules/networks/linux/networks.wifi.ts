import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { NetlinkLink } from '../../../protocols/netlink/link.ts';
import type { Netlink } from '../../../protocols/netlink/netlink.ts';
import { createNl80211, type WifiLink } from '../../../protocols/netlink/nl80211.ts';
import type { NetworkWifi } from '../networks.schema.ts';

export interface WifiReader {
  /** By the names of those interfaces that are wireless; null: connected to nothing, or unknown. */
  read(links: readonly NetlinkLink[], reasons: Reasons): Generator<void, Map<string, NetworkWifi | null>>;
  close(): void;
}

/** Some drivers have to ask the device how strong the signal is. */
const keptMs = 5000;
/** Refused once: a sandbox does not change while we run, a driver may. */
const againMs = 60_000;

export function createWifiReader(
  { files, clock }: Pick<LinuxHost, 'files' | 'clock'>,
  netlink: Netlink | null,
): WifiReader {
  const messages = netlink === null ? null : createNl80211(netlink);
  const kinds = new Map<number, { name: string; isWireless: boolean }>();
  let last: { known: Map<number, WifiLink> | null; until: number } | null = null;

  const isWireless = ({ index, name }: NetlinkLink): boolean => {
    const before = kinds.get(index);
    if (before?.name === name) return before.isWireless;
    const isNow = files.exists(`/sys/class/net/${name}/phy80211`);
    kinds.set(index, { name, isWireless: isNow });
    return isNow;
  };

  function* ask(indexes: readonly number[]): Generator<void, Map<number, WifiLink> | null> {
    if (messages === null) return null;
    if (last !== null && clock.monotonic() < last.until) return last.known;
    let known: Map<number, WifiLink> | null = null;
    try {
      known = yield* messages.read(indexes);
    } catch {
      messages.close();
    }
    last = { known, until: clock.monotonic() + (known === null ? againMs : keptMs) };
    return known;
  }

  return {
    *read(links, reasons) {
      const wireless = links.filter(isWireless);
      if (kinds.size > links.length) {
        const present = new Set(links.map(({ index }) => index));
        for (const index of kinds.keys()) if (!present.has(index)) kinds.delete(index);
      }
      if (wireless.length === 0) return new Map();
      const known = yield* ask(wireless.map(({ index }) => index));
      const wifi = new Map(wireless.map(({ index, name }) => [name, toWifi(known?.get(index))]));
      explain(known !== null, [...wifi.values()], reasons);
      return wifi;
    },
    close: () => messages?.close(),
  };
}

function toWifi(link: WifiLink | undefined): NetworkWifi | null {
  if (link === undefined) return null;
  const { ssid, signal, frequency, sendRate, receiveRate } = link;
  return { ssid, signal, frequency, rate: sendRate, receive_rate: receiveRate };
}

function explain(isTold: boolean, wifi: readonly (NetworkWifi | null)[], reasons: Reasons): void {
  if (!isTold)
    reasons.missing(
      'networks[].wifi',
      'Only netlink tells it; allow the service to use AF_NETLINK sockets in the network namespace it reports on',
    );
  else if (wifi.includes(null)) reasons.inherent('networks[].wifi', 'It is not connected to a wireless network');
  for (const field of ['ssid', 'frequency', 'signal', 'rate', 'receive_rate'] as const)
    if (wifi.some((each) => each !== null && each[field] === null))
      reasons.inherent(
        `networks[].wifi.${field}`,
        'Its driver does not report it, or it is an access point, with a value for each of its stations',
      );
}
