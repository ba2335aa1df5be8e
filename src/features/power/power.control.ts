import type { ActionParts } from '../../core/action.ts';
import { loadFor, type PerPlatform, unsupportedHere } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { Notice, PowerControl, VerbControl } from './power.contract.ts';
import type { Verb } from './power.verbs.ts';

const controls: PerPlatform<PowerControl> = {
  linux: async () => (await import('./power.linux.ts')).powerLinux,
  windows: async () => (await import('./power.windows.ts')).powerWindows,
};

export type LoadPower = (host: Host) => Promise<PowerControl | null>;

export const loadControl: LoadPower = async (host) => (await loadFor(host, controls))?.() ?? null;

export async function controlOf(host: Host, verb: Verb, load: LoadPower = loadControl): Promise<VerbControl> {
  const control = (await load(host))?.verbs[verb];
  if (control) return control;
  throw new ServiceError('unsupported', unsupportedHere(`power.${verb}`));
}

/** Shows a notification if possible; returns the function that removes it, which works also before it is shown. */
export function createNotices(
  { host, log }: Pick<ActionParts, 'host' | 'log'>,
  load: LoadPower,
): (notice: Notice) => () => void {
  return (notice) => {
    const shown = load(host).then((control) => control?.notify?.(notice) ?? null);
    shown.catch((error) => log.debug(`power: no notification was shown: ${messageOf(error)}`));
    return () =>
      void shown.then(
        (takeAway) => takeAway?.(),
        () => {},
      );
  };
}
