import type { Advertising } from '../../core/advertising.ts';
import { isLoopback } from '../../core/caller.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { TransportParts } from '../../core/transport.ts';
import { defineTransport } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Later } from '../../lib/later.ts';
import { isEverywhere } from '../http/own-url.ts';
import type { Discovery } from './discovery.ts';

/** Advertises the service on the network while the settings allow it. */
export const discoveryTransport = (platforms: PerPlatform<Later<Advertising>>) =>
  defineTransport({
    name: 'discovery',
    start({ host, log, settings, routeTable, listenOn, service: { version } }) {
      const ports = () => {
        const { plain, securePort } = routeTable.listener ?? { plain: null, securePort: () => null };
        return { plain: plain === null || plain.isLocalOnly ? null : plain.port, secure: securePort() };
      };
      return {
        stop: advertise({
          host,
          log,
          settings,
          platforms,
          version,
          address: listenOn.address,
          ports,
          listenerChanged: routeTable.listenerChanged,
        }),
      };
    },
  });

interface AdvertiseParts extends Pick<TransportParts, 'host' | 'settings' | 'log'> {
  platforms: PerPlatform<Later<Advertising>>;
  version: string;
  /** The address that the service listens on. */
  address: string;
  /** The port that other machines reach; null: not in this way. */
  ports(): { plain: number | null; secure: number | null };
  /** Notifies of ports that open later; omitted: none do. */
  listenerChanged?: Set<() => void>;
}

/** Advertising is not needed for the first responses and costs as much as they do. */
const startAfterMs = 500;

/** Advertises the service on the network while the settings allow it. Returns the function that stops it. */
export function advertise({
  host,
  settings,
  log,
  platforms,
  version,
  address,
  ports,
  listenerChanged,
}: AdvertiseParts): () => Promise<void> {
  if (!isReachable(address)) return async () => {};
  const isUsed = (own: string) => isEverywhere(address) || own === address;
  let starting: Promise<Running | null> | null = null;
  let stopped = false;

  const start = async (): Promise<Running | null> => {
    try {
      const platform = (await (await loadFor(host, platforms))?.()) ?? null;
      if (platform === null || stopped) return null;
      const { createDiscovery } = await import('./discovery.ts');
      const discovery = createDiscovery({
        open: host.multicast,
        log,
        after: host.clock.after,
        monotonic: host.clock.monotonic,
        random: Math.random,
        presence() {
          const { through, ...facts } = platform.facts(isUsed);
          const { plain: plainPort, secure: securePort } = ports();
          if (through.length === 0 || facts.ip === '' || (plainPort ?? securePort) === null) return null;
          const { quiet } = settings.current().discovery;
          return { identity: { ...facts, version, plainPort, securePort, quiet }, through };
        },
      });
      const unfollow = platform.follow(discovery.refresh);
      discovery.refresh();
      return { discovery, unfollow };
    } catch (error) {
      log.warn(`discovery: cannot announce this machine on the network: ${messageOf(error)}`);
      return null;
    }
  };

  const end = async () => {
    const running = starting;
    starting = null;
    const { unfollow, discovery } = (await running) ?? {};
    unfollow?.();
    await discovery?.stop();
  };

  const follow = () => {
    if (stopped || !settings.current().discovery.enabled) return void end();
    if (starting === null) starting = start();
    // The content may have changed.
    else void starting.then((running) => running?.discovery.refresh());
  };

  const cancel = host.clock.after(startAfterMs, follow);
  const unfollow = settings.onChange(follow);
  // A port that opens before the first announcement is part of it.
  const reopened = () => void starting?.then((running) => running?.discovery.refresh());
  listenerChanged?.add(reopened);
  return async () => {
    stopped = true;
    cancel();
    unfollow();
    listenerChanged?.delete(reopened);
    await end();
  };
}

interface Running {
  discovery: Discovery;
  unfollow(): void;
}

/** From other machines. A name cannot be compared with the addresses of interfaces. */
const isReachable = (address: string) => isEverywhere(address) || (isNumeric(address) && !isLoopback(address));

/** The service listens on it, so it is valid; node:net, which could check, takes a megabyte. */
const isNumeric = (address: string) => address.includes(':') || /^[\d.]+$/.test(address);
