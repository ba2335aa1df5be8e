import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { pollChanges } from '../../host/windows/change-poller.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { windowsRestartReasons } from '../../host/windows/pending-restart.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import type { Updates } from './updates.schema.ts';
import type { PendingUpdate } from './wuapi.windows.ts';
import { wuapiLibrary } from './wuapi.windows.ts';

/** A search is expensive, and its result changes about once a day. */
const searchEveryMs = 60 * 60 * 1000;
const retryMs = 5 * 60 * 1000;
/** Interval of the restart check while there are subscribers: two registry reads. */
const checkEveryMs = 30_000;
const { mostRead, mostShown } = { mostRead: 1000, mostShown: 250 };

interface Found {
  count: number;
  updates: PendingUpdate[];
}

/** The updates that Windows found in its own latest search. */
export const updatesWindows: CreateSource<Updates, WindowsHost> = (host) => {
  const { clock } = host;
  const wuapi = host.nativeElsewhere(wuapiLibrary);
  let known: { found: Found | string; at: number; stamp: string } | null = null;
  let searching: Promise<Found | string> | null = null;

  const search = async (stamp: string): Promise<Found | string> => {
    const found = await wuapi.pending(mostRead).catch(messageOf);
    known = { found, at: clock.monotonic(), stamp };
    return found;
  };
  const pending = async (stamp: string): Promise<Found | string> => {
    if (searching !== null) return await searching;
    const age = known === null ? Number.POSITIVE_INFINITY : clock.monotonic() - known.at;
    const isFresh = age < (typeof known?.found === 'string' ? retryMs : searchEveryMs);
    if (known !== null && isFresh && known.stamp === stamp) return known.found;
    searching = search(stamp).finally(() => {
      searching = null;
    });
    return await searching;
  };

  return {
    async read(reasons) {
      const native = await host.native();
      const restart = windowsRestartReasons(native);
      const checkedAt = lastChecked(native);
      // After an installation or a new search the list has changed.
      const found = await pending(`${checkedAt} ${restart.join()}`);
      return toPayload(found, checkedAt, restart, reasons);
    },
    watch: (changed) => pollChanges(clock, checkEveryMs, async () => stampOf(await host.native()), changed),
  };
};

const stampOf = (native: Native) => [lastChecked(native), ...windowsRestartReasons(native)];

const detected = 'SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\WindowsUpdate\\Auto Update\\Results\\Detect';

/** Unix seconds; `2026-11-17 08:15:00`, in UTC. Some versions of Windows 10 do not write it. */
function lastChecked({ advapi32 }: Native): number | null {
  const text = advapi32.value('HKLM', detected, 'LastSuccessTime');
  const at = typeof text === 'string' ? Date.parse(`${text.replace(' ', 'T')}Z`) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at / 1000);
}

function toPayload(found: Found | string, checkedAt: number | null, restart: string[], reasons: Reasons): Updates {
  const reboot = { required: restart.length > 0, reasons: restart };
  reasons.inherent('changes', 'Not implemented on Windows');
  if (checkedAt === null)
    reasons.inherent('managers[].checked_at', 'Windows does not record when it last searched for updates');
  if (typeof found === 'string') {
    for (const field of ['updates', 'security_updates', 'managers[].updates', 'managers[].security_updates'])
      reasons.missing(field, `Windows Update does not list the available updates: ${found}`);
    const unknown = { updates: null, security_updates: null };
    const manager = { name: 'windows-update' as const, ...unknown, checked_at: checkedAt, packages: [], origins: [] };
    return { ...unknown, managers: [manager], changes: null, reboot };
  }
  const packages = found.updates.map(({ title, severity }) => ({
    name: shownText(title, 200),
    current: '',
    candidate: '',
    security: severity !== '',
  }));
  const security_updates = packages.filter(({ security }) => security).length;
  const shown = [...packages.filter(({ security }) => security), ...packages.filter(({ security }) => !security)];
  const counts = { updates: found.count, security_updates };
  const manager = { name: 'windows-update' as const, ...counts, checked_at: checkedAt, origins: [] };
  return { ...counts, managers: [{ ...manager, packages: shown.slice(0, mostShown) }], changes: null, reboot };
}
