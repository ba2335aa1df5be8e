import type { Reasons } from '../../../core/reasons.ts';
import type { Files } from '../../../host/linux/files.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { NetlinkLink } from '../../../protocols/netlink/link.ts';

/** Nobody announces it, and it is changed by hand. */
const keptMs = 60_000;

/**
 * Whether a card may wake the machine. Drivers mark their device as a source of wake-ups when wake-on-LAN is turned on; which packets they heed,
 * only an administrator may ask. https://docs.kernel.org/admin-guide/pm/working-state.html, Documentation/ABI/testing/sysfs-devices-power
 */
export function createWakeReader(files: Files, clock: Clock) {
  const known = new Map<number, { name: string; readAt: number; state: boolean | null | undefined }>();
  const look = (link: NetlinkLink): boolean | null | undefined => {
    const last = known.get(link.index);
    if (last?.name === link.name && clock.monotonic() - last.readAt < keptMs) return last.state;
    const state = readWake(files, link);
    known.set(link.index, { name: link.name, readAt: clock.monotonic(), state });
    return state;
  };
  return {
    /** By the names of those interfaces that are hardware; null: the card cannot wake the machine. */
    read(links: readonly NetlinkLink[], reasons: Reasons): Map<string, boolean | null> {
      const present = new Set(links.map(({ index }) => index));
      for (const index of known.keys()) if (!present.has(index)) known.delete(index);
      const found = new Map<string, boolean | null>();
      for (const link of links) {
        const state = look(link);
        if (state !== undefined) found.set(link.name, state);
      }
      if ([...found.values()].includes(null))
        reasons.inherent('networks[].wake_on_lan', 'The card, or its driver, cannot wake this machine');
      return found;
    },
  };
}

/** undefined: it is no hardware. */
function readWake(files: Files, { index, name }: NetlinkLink): boolean | null | undefined {
  const place = `/sys/class/net/${name}`;
  // /sys may have been mounted in another network namespace, where this name means another interface.
  if (files.text(`${place}/ifindex`)?.trim() !== String(index) || !files.exists(`${place}/device`)) return undefined;
  const text = files.text(`${place}/device/power/wakeup`)?.trim() ?? '';
  return text === '' ? null : text === 'enabled';
}
