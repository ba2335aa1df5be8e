export interface Protection {
  /** Sections that can be changed from elsewhere on the network. The rest grants execution or file access, or sends secrets somewhere. */
  remotelyChangeable: readonly string[];
  /** Dotted keys that can be changed only in the file or by the CLI. */
  ownerOnly: readonly string[];
  /** Dotted keys that can be changed only on the machine itself, even with security.remoteAdmin. */
  localOnly: readonly string[];
}

export const baseProtection: Protection = {
  remotelyChangeable: ['autostart', 'systemTray', 'hotkeys', 'logLevel', 'logFormat', 'modules'],
  ownerOnly: [
    // The switch that opens the others must not open itself.
    'security.remoteAdmin',
    'mcp.trustClientConfirmation',
    'mqtt.scopes',
    // Together they could send any file of the user anywhere.
    'otlp.endpoint',
    'otlp.headersFile',
    'otlp.caFile',
  ],
  // The broker receives the stored password, and can be a service on loopback. The files must not be probed from elsewhere.
  localOnly: ['mqtt.url', 'mqtt.serverName', 'mqtt.username', 'mqtt.caFile', 'mqtt.certificateFile', 'mqtt.keyFile'],
};

/** dashboard.machines is not among these: browsers connect to these addresses, and authenticate otherwise. */
export const baseSecretUrls: readonly string[] = ['mqtt.url', 'otlp.endpoint'];
