import type { Host } from '../host/host.ts';
import type { OwnProgram } from '../host/own-program.ts';
import { findInstallation } from '../installation.ts';
import { sleep } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import { findService } from './running.ts';

/** A service that runs the program which is replaced, and that the system restarts. */
export interface Restartable {
  name: string;
  restart(): Promise<unknown>;
  /** The version that answers now; null: none does. */
  version(): Promise<string | null>;
}

/** Those that the system started, of this user and of the machine; and the number of one that somebody started by hand. */
export async function runningServices(
  host: Host,
  own: Pick<OwnProgram, 'isRunBy'>,
): Promise<{ restartable: Restartable[]; byHand: number | null }> {
  const restartable: Restartable[] = [];
  const pids = new Set<number>();
  for (const which of ['user', 'system'] as const) {
    const installation = await findInstallation(host, which).catch(() => null);
    const { activity, restart } = installation ?? {};
    const now = await activity?.().catch(() => null);
    if (activity === undefined || restart === undefined || !now?.pid || !own.isRunBy(now.pid)) continue;
    pids.add(now.pid);
    restartable.push({
      name: which === 'user' ? 'your service' : 'the service of the machine',
      restart,
      version:
        which === 'user'
          ? async () => (await findService(host).catch(() => null))?.version ?? null
          : async () => /^Hostler (\S+) on /.exec((await activity()).status)?.[1] ?? null,
    });
  }
  const found = await findService(host).catch(() => null);
  const isByHand = found !== null && !pids.has(found.info.pid);
  return { restartable, byHand: isByHand ? found.info.pid : null };
}

const lookEveryMs = 250;

/** Restarts it, and waits until that version answers. Throws what happened instead, as the end of a sentence. */
export async function restartInto(
  { clock }: Pick<Host, 'clock'>,
  { restart, version }: Restartable,
  wanted: string,
  withinMs: number,
): Promise<void> {
  const until = clock.monotonic() + withinMs;
  let trouble = `it did not answer within ${withinMs / 1000} s`;
  // Not waited for: what hangs in there must not take longer than all of it may.
  restart().catch((error) => {
    trouble = messageOf(error);
  });
  for (;;) {
    await sleep(clock, lookEveryMs);
    if ((await version().catch(() => null)) === wanted) return;
    if (clock.monotonic() >= until) throw new Error(trouble);
  }
}
