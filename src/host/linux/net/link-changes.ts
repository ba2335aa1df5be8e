import type { EachMessage } from '@hostler/netlink/netlink.ts';
import {
  parseLink,
  parseLinkAddress,
  RTM_DELADDR,
  RTM_DELLINK,
  RTM_NEWADDR,
  RTM_NEWLINK,
} from '@hostler/netlink/rtnetlink.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { LoadNetlink } from './netlink.ts';

/** RTMGRP_LINK, RTMGRP_IPV4_IFADDR and RTMGRP_IPV6_IFADDR. */
const groups = 0x1 | 0x10 | 0x100;

/** One change causes several messages. */
const gatherMs = 20;
/** Minimum time between two callbacks. */
const apartMs = 100;
const reopenMs = 1000;

export type LinkFollower = ReturnType<typeof followLinks>;

/** Calls back soon after the kernel announced a change of interfaces or addresses. Nothing runs in between. */
export function followLinks(load: LoadNetlink, clock: Clock, changed: () => void) {
  const isNews = createNewsFilter();
  let stopped = false;
  let isFollowing = false;
  let quiet = false;
  let stopFollowing = () => {};
  let cancelTimer = () => {};
  let isDue = false;
  let calledAt = Number.NEGATIVE_INFINITY;

  const received: EachMessage = (...message) => {
    if (stopped || !isNews(...message)) return;
    quiet = false;
    if (isDue) return;
    isDue = true;
    cancelTimer = clock.after(Math.max(gatherMs, calledAt + apartMs - clock.monotonic()), () => {
      isDue = false;
      calledAt = clock.monotonic();
      changed();
    });
  };

  const start = async () => {
    try {
      const netlink = await load();
      if (stopped) return;
      const stop = await netlink.follow(groups, received, reopen);
      if (stopped) return stop();
      stopFollowing = stop;
      isFollowing = true;
      // Earlier changes were missed.
      changed();
    } catch {
      // Without such messages the module is read at its interval.
    }
  };

  const reopen = () => {
    isFollowing = false;
    quiet = false;
    if (stopped) return;
    cancelTimer();
    cancelTimer = clock.after(reopenMs, () => {
      isDue = false;
      void start();
    });
  };

  void start();
  return {
    /** Whether there was no change since the last query. False without a subscription. */
    wasQuiet(): boolean {
      const was = isFollowing && quiet;
      quiet = isFollowing;
      return was;
    },
    stop() {
      stopped = true;
      isFollowing = false;
      cancelTimer();
      stopFollowing();
    },
  };
}

const mostRemembered = 2000;

/** Routers extend lifetimes of addresses every few seconds, and wireless interfaces report scans: neither is a change. */
function createNewsFilter(): (...message: Parameters<EachMessage>) => boolean {
  const last = new Map<string, string>();
  return (bytes, at, end, type) => {
    const isAddress = type === RTM_NEWADDR || type === RTM_DELADDR;
    if (!isAddress && type !== RTM_NEWLINK && type !== RTM_DELLINK) return false;
    const entry = isAddress ? parseLinkAddress(bytes, at, end) : parseLink(bytes, at, end);
    if (entry === null) return false;
    const key = 'address' in entry ? `${entry.index} ${entry.address}/${entry.prefix}` : `${entry.index}`;
    const value = JSON.stringify(entry, (name, part) => (name === 'counters' ? undefined : part));
    if (type === RTM_DELLINK || type === RTM_DELADDR) {
      last.delete(key);
      return true;
    }
    if (last.get(key) === value) return false;
    if (last.size > mostRemembered) last.clear();
    last.set(key, value);
    return true;
  };
}
