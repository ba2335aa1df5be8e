import type { Settings } from './settings.schema.ts';

/** What holds without a settings file. Kept apart from the schema, so that starting needs no schema library. */
export const defaultSettings: Settings = {
  autostart: false,
  systemTray: false,
  hotkeys: [],
  logLevel: 'INFO',
  commands: { allowlist: [] },
  disks: { allowedSecondaryMountPoints: [] },
  media: { directories: [] },
  files: { hidden: true },
  modules: {},
  server: { host: '', port: 9170, plain: 'everywhere', tls: 'off', tlsPort: 9171, tlsCertificate: '', tlsKey: '' },
  security: { allowedHosts: [], allowedOrigins: [], remoteAdmin: false },
  mcp: { mode: 'standard', allowRemote: false, tools: [], commands: [], trustClientConfirmation: false },
  pairing: { enabled: true },
  discovery: { enabled: true, quiet: false },
  metrics: { enabled: true },
  history: { enabled: true, interval: 15, batteryInterval: 60 },
  dashboard: { machines: [] },
  chat: { oauthUrl: '' },
  releases: { url: '' },
};
