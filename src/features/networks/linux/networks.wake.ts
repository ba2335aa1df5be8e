import { createEthtool, type WakeSettings } from '@hostler/netlink/ethtool.ts';
import type { NetlinkLink } from '@hostler/netlink/link.ts';
import { type Netlink, NetlinkError } from '@hostler/netlink/netlink.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { explainWake, type InterfaceWake } from '../networks.shared.ts';

/** Changed by hand, without a notification. */
const cachedMs = 60_000;
const EPERM = 1;

type Answer = Map<number, WakeSettings> | 'forbidden' | 'unasked';

/** Whether a card may wake the machine, and by which packets. Drivers set the wakeup attribute when wake-on-LAN is on, which is readable for all; the packets only for an administrator. https://docs.kernel.org/admin-guide/pm/working-state.html, Documentation/ABI/testing/sysfs-devices-power */
export function createWakeReader({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>, netlink: Netlink | null) {
  const ethtool = netlink === null ? null : createEthtool(netlink);
  let known: { of: string; readAt: number; wakes: Map<string, InterfaceWake>; answer: Answer } | null = null;

  function* ask(): Generator<void, Answer> {
    if (ethtool === null) return 'unasked';
    try {
      return yield* ethtool.readWake();
    } catch (error) {
      return error instanceof NetlinkError && error.errno === EPERM ? 'forbidden' : 'unasked';
    } finally {
      // Not queried again for a while.
      ethtool.close();
    }
  }

  function* readAll(links: readonly NetlinkLink[]) {
    const wakes = new Map<string, InterfaceWake>();
    const cards = links.flatMap((link) => {
      const mark = readMark(files, link);
      return mark === undefined ? [] : [{ ...link, mark }];
    });
    const answer = cards.length === 0 ? 'unasked' : yield* ask();
    for (const { name, index, mark } of cards) {
      const modes = answer instanceof Map ? (answer.get(index) ?? null) : null;
      wakes.set(name, { wake_on_lan: wakesBy(mark, modes), wake_modes: modes });
    }
    return { wakes, answer };
  }

  return {
    /** By the names of physical interfaces. */
    *read(links: readonly NetlinkLink[], reasons: Reasons): Generator<void, Map<string, InterfaceWake>> {
      const of = links.map(({ index, name }) => `${index} ${name}`).join('\n');
      if (known === null || known.of !== of || clock.monotonic() - known.readAt >= cachedMs)
        known = { of, readAt: clock.monotonic(), ...(yield* readAll(links)) };
      const why =
        known.answer instanceof Map ? 'The card, or its driver, does not support wake-on-LAN' : unread[known.answer];
      explainWake([...known.wakes.values()], why, reasons);
      return known.wakes;
    },
    close: () => ethtool?.close(),
  };
}

/** A device switched off by the administrator does not wake, whatever its driver is set to. */
function wakesBy(mark: boolean | null, modes: WakeSettings | null): boolean | null {
  if (modes === null) return mark;
  if (modes.supported.length === 0) return null;
  return modes.active.length > 0 && mark !== false;
}

/** undefined: not physical; null: it cannot wake the machine, or the driver does not report it. */
function readMark(files: LinuxHost['files'], { index, name }: NetlinkLink): boolean | null | undefined {
  const place = `/sys/class/net/${name}`;
  // /sys may be of another network namespace, where this name is another interface.
  if (files.text(`${place}/ifindex`)?.trim() !== String(index) || !files.exists(`${place}/device`)) return undefined;
  const text = files.text(`${place}/device/power/wakeup`)?.trim() ?? '';
  return text === '' ? null : text === 'enabled';
}

const unread = {
  forbidden: 'Only an administrator (CAP_NET_ADMIN) may ask the driver what wakes the machine',
  unasked: 'Only netlink reports it, which cannot be used here',
};
