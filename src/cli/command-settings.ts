import { settingsCatalogue } from '../features/index.ts';
import type { Host } from '../host/host.ts';
import { createLog, type LogLevel } from '../lib/log.ts';
import { openSettings, type SettingsStore } from '../settings/settings.ts';

/** The settings, for a command. What is wrong with their files goes to standard error. */
export const openOwnSettings = (host: Host, least: LogLevel = 'WARN'): Promise<SettingsStore> =>
  openSettings(
    settingsCatalogue,
    host,
    createLog((line) => process.stderr.write(line), least),
  );

/** A command may change everything that the administrator has not locked. */
export const owner = { local: true, cli: true };
