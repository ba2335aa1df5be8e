/** Versions with sessions, the newest first: the first is offered to a client with an unknown one. */
export const olderVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** The version without sessions: each request carries what `initialize` negotiated before. */
export const newerVersion = '2026-07-28';

/** Versions are dates, so they compare as text. */
export const isNewer = (version: string) => version >= newerVersion;

export const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  client: 'io.modelcontextprotocol/clientInfo',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  server: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;
