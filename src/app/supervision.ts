import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AppPlatform } from './platform.ts';
import type { Supervisor } from './supervisor.contract.ts';
import { version } from './version.ts';

interface Supervised {
  /** Where it is reached. */
  status: string;
  /** Reads the settings again. */
  reload(): Promise<void>;
}

export interface Supervision {
  reload(): void;
  /** We are about to end. */
  stop(): void;
}

/** Whoever started us hears that we serve, read the settings again, are alive and end. Without one there is nothing but the reload. */
export async function supervise(
  open: AppPlatform['supervisor'],
  clock: Clock,
  log: Pick<Log, 'info' | 'warn'>,
  { status, reload }: Supervised,
): Promise<Supervision> {
  const supervisor = open === undefined ? null : await open();
  if (open !== undefined && supervisor === null)
    log.warn('systemd cannot be told that the service has started: NOTIFY_SOCKET cannot be used');
  const ready = () => supervisor?.ready(`Hostler ${version} on ${status}`);
  ready();
  const stopPings = supervisor === null ? () => {} : ping(supervisor, clock);
  let work = Promise.resolve();
  return {
    reload() {
      // One after the other: who asks twice at once hears twice that it was done.
      work = work.then(async () => {
        log.info('settings: asked to read them again');
        supervisor?.reloading();
        // What is wrong with them it says itself.
        await reload().catch(() => {});
        ready();
      });
    },
    stop() {
      stopPings();
      supervisor?.stopping();
    },
  };
}

/** By the event loop itself, so that one that hangs is noticed; twice as often as is wanted. */
function ping({ watchdogMs, alive }: Supervisor, clock: Clock): () => void {
  if (watchdogMs === null) return () => {};
  let cancel = () => {};
  const again = () => {
    alive();
    cancel = clock.after(watchdogMs / 2, again);
  };
  again();
  return () => cancel();
}
