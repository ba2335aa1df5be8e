import { IFF_RUNNING, type NetlinkLink } from '@hostler/netlink/link.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { NetworkInterface } from '../networks.schema.ts';

export type LinkMode = Pick<NetworkInterface['stats'], 'speed' | 'duplex'>;

/** Drivers may have to query the device: read after a change of the connection, and at intervals. */
const cachedMs = 60_000;

/** https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-class-net */
export function createLinkModes(files: Files, clock: Clock) {
  const known = new Map<number, { state: string; name: string; readAt: number; mode: LinkMode }>();
  return {
    of({ index, name, flags, state }: NetlinkLink): LinkMode {
      // Some devices keep reporting their maximum.
      if (flags === null || (flags & IFF_RUNNING) === 0) return unknownMode;
      const last = known.get(index);
      const isRecent = last !== undefined && clock.monotonic() - last.readAt < cachedMs;
      if (isRecent && last.state === state && last.name === name) return last.mode;
      const mode = readMode(files, index, name);
      known.set(index, { state, name, readAt: clock.monotonic(), mode });
      return mode;
    },
    forgetOthers(links: NetlinkLink[]) {
      const present = new Set(links.map(({ index }) => index));
      for (const index of known.keys()) if (!present.has(index)) known.delete(index);
    },
  };
}

const unknownMode: LinkMode = { speed: null, duplex: '' };

function readMode(files: Files, index: number, name: string): LinkMode {
  const value = (file: string) => files.text(`/sys/class/net/${name}/${file}`)?.trim() ?? '';
  // /sys may be of another network namespace, where this name is another interface.
  if (value('ifindex') !== String(index)) return unknownMode;
  const speed = Number(value('speed') || '-1');
  const duplex = value('duplex');
  return { speed: speed > 0 ? speed : null, duplex: duplex === 'full' || duplex === 'half' ? duplex : '' };
}
