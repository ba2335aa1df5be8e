import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import { createSequence } from '../lib/later.ts';
import type { Log } from '../lib/log.ts';
import type { SettingsStore } from '../settings/settings.ts';
import { findInstallation } from './installation/find-installation.ts';

interface AutostartParts {
  host: Host;
  log: Pick<Log, 'info' | 'warn'>;
  settings: Pick<SettingsStore, 'current' | 'onChange' | 'update'>;
  /** A supervisor started this process. */
  isSupervised?: boolean;
  /** The system starts it at login: the process was started that way. */
  isKnownOn?: boolean;
  find?: typeof findInstallation;
}

/**
 * Applies the setting `autostart`, and updates it to the actual state. The system is not queried where it was never switched on, unless the
 * system started this process, which may have been configured elsewhere.
 */
export function followAutostart({
  host,
  log,
  settings,
  isSupervised = false,
  isKnownOn = false,
  find = findInstallation,
}: AutostartParts): Promise<void> {
  let known = settings.current().autostart;
  const sequence = createSequence();
  const inTurn = (step: () => Promise<void>) =>
    sequence(step).catch((error) => log.warn(`autostart: ${messageOf(error)}`));
  const showTruth = async (truth: boolean) => {
    known = truth;
    if (settings.current().autostart !== truth) await settings.update({ autostart: truth }, { local: true });
  };
  const apply = async (isWanted: boolean) => {
    const installation = await find(host, 'own');
    if (installation === null) return;
    try {
      await installation.setAutostart(isWanted);
    } catch (error) {
      log.warn(`Starting at login cannot be switched ${isWanted ? 'on' : 'off'}: ${messageOf(error)}`);
    }
    await showTruth((await installation.state()).startsAtLogin);
  };
  settings.onChange(({ autostart }) => {
    if (autostart === known) return;
    known = autostart;
    void inTurn(() => apply(autostart));
  });
  if (known ? isKnownOn : !isSupervised) return Promise.resolve();
  return inTurn(async () => {
    const state = await (await find(host, 'own'))?.state();
    if (state === undefined) return;
    if (state.startsAtLogin || !known) return await showTruth(state.startsAtLogin);
    if (!state.isSwitchedOff) return await apply(true);
    log.info('autostart: disabled in the startup list of the system, and therefore in the settings');
    await showTruth(false);
  });
}
