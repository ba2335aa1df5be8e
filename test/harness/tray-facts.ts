import type { TrayFacts } from '../../src/app/tray/tray.menu.ts';

/** Nothing to show but the dashboard. */
export const quietTray: TrayFacts = {
  version: '7.0.0',
  address: 'http://localhost:9170',
  paused: null,
  pending: null,
  prompt: null,
  clients: [],
  crashes: null,
};
