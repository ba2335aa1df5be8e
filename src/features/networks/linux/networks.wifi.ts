import type { NetlinkLink } from '@hostler/netlink/link.ts';
import type { Netlink } from '@hostler/netlink/netlink.ts';
import { createNl80211, type JoinedNetwork, type Nl80211, type WifiLink } from '@hostler/netlink/nl80211.ts';
import { explainNulls, type Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { wifiBandOf, wifiChannelOf, wifiSignalPercent } from '../../../lib/wifi-channel.ts';
import type { NetworkWifi } from '../networks.schema.ts';

type KnownWifi = WifiLink & { network: JoinedNetwork | null };

/** Some drivers have to query the device for the signal strength. */
const cachedMs = 5000;
/** Refused once: a sandbox is constant, a driver may change. */
const againMs = 60_000;
const againSoonMs = 10_000;

export function createWifiReader({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>, netlink: Netlink | null) {
  const messages = netlink === null ? null : createNl80211(netlink);
  const joined = new Map<number, { of: string; until: number; network: JoinedNetwork | null }>();
  const kinds = new Map<number, { name: string; isWireless: boolean }>();
  let last: { known: Map<number, KnownWifi> | null; until: number } | null = null;

  const isWireless = ({ index, name }: NetlinkLink): boolean => {
    const before = kinds.get(index);
    if (before?.name === name) return before.isWireless;
    const isNow = files.exists(`/sys/class/net/${name}/phy80211`);
    kinds.set(index, { name, isWireless: isNow });
    return isNow;
  };

  /** The answer includes all networks in range: requested after a change, and at intervals. */
  function* joinedBy(from: Nl80211, index: number, { peer, ssid, frequency }: WifiLink) {
    const of = `${peer} ${frequency} ${ssid}`;
    const before = joined.get(index);
    if (before?.of === of && clock.monotonic() < before.until) return before.network;
    const network = yield* from.readJoined(index);
    // Right after connecting nothing may be known yet.
    const until = clock.monotonic() + (network === null ? againSoonMs : againMs);
    joined.set(index, { of, until, network });
    return network;
  }

  function* ask(indexes: readonly number[]): Generator<void, Map<number, KnownWifi> | null> {
    if (messages === null) return null;
    if (last !== null && clock.monotonic() < last.until) return last.known;
    let known: Map<number, KnownWifi> | null = null;
    try {
      const links = new Map<number, KnownWifi>();
      for (const [index, link] of yield* messages.read(indexes))
        links.set(index, { ...link, network: yield* joinedBy(messages, index, link) });
      for (const index of joined.keys()) if (!links.has(index)) joined.delete(index);
      known = links;
    } catch {
      messages.close();
    }
    last = { known, until: clock.monotonic() + (known === null ? againMs : cachedMs) };
    return known;
  }

  return {
    /** By the names of wireless interfaces; null: not connected, or unknown. */
    *read(links: readonly NetlinkLink[], reasons: Reasons): Generator<void, Map<string, NetworkWifi | null>> {
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

/** Up to 32 arbitrary bytes, chosen by the owner of the access point. */
const longestSsid = 32;

function toWifi(link: KnownWifi | undefined): NetworkWifi | null {
  if (link === undefined) return null;
  const { signal, sendRate, receiveRate, network } = link;
  const ssid = link.ssid ?? network?.ssid ?? null;
  const frequency = link.frequency ?? network?.frequency ?? null;
  return {
    ssid: ssid === null ? null : shownText(ssid, longestSsid),
    signal,
    signal_percent: signal === null ? null : wifiSignalPercent(signal),
    frequency,
    band: frequency === null ? null : wifiBandOf(frequency),
    channel: frequency === null ? null : wifiChannelOf(frequency),
    rate: sendRate,
    receive_rate: receiveRate,
    security: network?.security ?? null,
  };
}

function explain(isKnown: boolean, wifi: readonly (NetworkWifi | null)[], reasons: Reasons): void {
  if (!isKnown)
    reasons.missing(
      'networks[].wifi',
      'Only netlink reports it; allow the service to use AF_NETLINK sockets in the network namespace it reports on',
    );
  else if (wifi.includes(null)) reasons.inherent('networks[].wifi', 'It is not connected to a wireless network');
  const why = 'Its driver does not report it, or it is an access point, with a value for each of its stations';
  const known = wifi.filter((each) => each !== null);
  explainNulls(known, 'networks[].wifi', () => why, reasons.inherent);
}
