import { type Clock, repeatedly } from '../lib/clock.ts';
import { createSequence } from '../lib/later.ts';
import type { Log } from '../lib/log.ts';
import type { AppPlatform } from './platform.ts';
import type { Supervisor } from './supervisor.contract.ts';
import { version } from './version.ts';

interface Supervised {
  status: string;
  reload(): Promise<void>;
}

export interface Supervision {
  reload(): void;
  stop(): void;
}

/** Notifies the supervisor of the start, reloads, liveness and the end. Without one only the reload works. */
export async function supervise(
  open: AppPlatform['supervisor'],
  clock: Clock,
  log: Pick<Log, 'info' | 'warn'>,
  { status, reload }: Supervised,
): Promise<Supervision> {
  const supervisor = open === undefined ? null : await open();
  if (open !== undefined && supervisor === null)
    log.warn('systemd cannot be notified that the service has started: NOTIFY_SOCKET cannot be used');
  const ready = () => supervisor?.ready(`Hostler ${version} on ${status}`);
  ready();
  const stopPings = supervisor === null ? () => {} : ping(supervisor, clock);
  const inTurn = createSequence();
  return {
    reload() {
      // One after the other: two requests at once get two notifications.
      void inTurn(async () => {
        log.info('settings: reload requested');
        supervisor?.reloading();
        // A reload logs its own problems.
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

/** From the event loop, so that a hang is detected; twice per interval. */
function ping({ watchdogMs, alive }: Supervisor, clock: Clock): () => void {
  if (watchdogMs === null) return () => {};
  alive();
  return repeatedly((then) => clock.after(watchdogMs / 2, then), alive);
}
