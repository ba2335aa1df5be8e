import type { FeatureSettings, Settings } from './settings.schema.ts';

/** The base values without a settings file. Separate from the schema, so that starting needs no schema library. */
export const baseDefaults: Omit<Settings, keyof FeatureSettings> = {
  autostart: false,
  systemTray: false,
  hotkeys: [],
  logLevel: 'INFO',
  logFormat: 'text',
  modules: {},
  server: { host: '', port: 9170, plain: 'everywhere', tls: 'off', tlsPort: 9171, tlsCertificate: '', tlsKey: '' },
  security: { allowedHosts: [], allowedOrigins: [], remoteAdmin: false },
  mcp: { mode: 'standard', allowRemote: false, tools: [], commands: [], trustClientConfirmation: false, oauth: true },
  pairing: { enabled: true },
  discovery: { enabled: true, quiet: false },
  metrics: { enabled: true },
  glances: { enabled: false, privatePath: false },
  mqtt: {
    url: '',
    username: '',
    caFile: '',
    certificateFile: '',
    keyFile: '',
    serverName: '',
    topic: 'hostler',
    interval: 10,
    modules: [],
    scopes: ['read'],
    discovery: 'device',
  },
  otlp: { endpoint: '', encoding: 'protobuf', interval: 60, headersFile: '', caFile: '' },
  dashboard: { machines: [] },
};
