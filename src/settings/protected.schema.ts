/** What can be changed from elsewhere on the network. The rest grants execution or file access, or sends secrets somewhere. */
export const remotelyChangeable: readonly string[] = [
  'autostart',
  'systemTray',
  'hotkeys',
  'logLevel',
  'logFormat',
  'disks',
  'modules',
];

/** Only in the file or by the CLI: the switch that opens the others must not open itself. */
export const ownerOnly: readonly (readonly [string, string])[] = [
  ['security', 'remoteAdmin'],
  ['mcp', 'trustClientConfirmation'],
  ['releases', 'url'],
  ['mqtt', 'scopes'],
  ['chat', 'oauthUrl'],
  // Together they could send any file of the user anywhere.
  ['otlp', 'endpoint'],
  ['otlp', 'headersFile'],
  ['otlp', 'caFile'],
  // Whoever may look has to have been let on the machine itself.
  ['screen', 'allowed'],
  ['screen', 'askForAgents'],
];

/**
 * Only on the machine itself, even with remoteAdmin. A webhook sends requests from this machine, also to services that listen on loopback
 * only, and its status is reported; its files are read with the rights of the user.
 */
export const localOnly: readonly (readonly [string, string])[] = [['alerts', 'webhooks']];
