import path from 'node:path';
import type { Scope } from '../../access/scopes.ts';
import type { TokenInfo } from '../../access/tokens/token-file.ts';
import type { TokensHost } from '../../access/tokens/token-list.ts';
import { openTokens } from '../../access/tokens/tokens.ts';
import { scopes as known } from '../../features/index.ts';
import type { Host } from '../../host/host.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { UsageError } from '../exit.ts';

/** The default scopes of an agent: nothing that turns the machine off, runs programs, types or reads files. */
export const usualScopes: Scope[] = [...known.agents];

export const bridgeTokenName = 'mcp-bridge';

const fileOf = ({ paths }: Pick<Host, 'paths'>) => path.join(paths.state, 'mcp-token');

/** The secret of the bridge, created at first use. Throws if it was revoked, because that was intended. */
export function bridgeSecret(host: Host): string {
  const stored = host.storage.read(fileOf(host))?.trim() ?? '';
  const tokens = openTokens(known, host);
  if (stored !== '') {
    if (tokens.find(stored) !== null) return stored;
    throw new ServiceError(
      'unauthorized',
      `The token of the MCP bridge was revoked; "${ownCommand('mcp config claude-desktop --renew')}" creates a new one`,
    );
  }
  return makeBridgeSecret(host, usualScopes);
}

export function makeBridgeSecret(host: Host, scopes: Scope[]): string {
  const secret = newAgentSecret(host, bridgeTokenName, scopes, true);
  host.storage.write(fileOf(host), `${secret}\n`);
  return secret;
}

/** A token for agents only. An existing one of that name stays, unless it is to be replaced. */
export function newAgentSecret(host: TokensHost, name: string, scopes: Scope[], renew: boolean): string {
  const tokens = openTokens(known, host);
  const existing = tokens.list().find((token) => token.name === name);
  if (existing !== undefined && !renew) {
    refuseOthers(existing);
    throw new UsageError(
      `The token ${JSON.stringify(name)} exists already, and its secret cannot be shown again. Add --add-scope <scopes> to let it do more, or --renew to replace it; clients that use it then lose access`,
    );
  }
  if (existing !== undefined) tokens.revoke(name);
  return tokens.create(name, scopes, 'agent').secret;
}

/** Null: there is no token of this name. */
export function addScopes(host: TokensHost, name: string, added: readonly Scope[]): readonly Scope[] | null {
  const tokens = openTokens(known, host);
  const existing = tokens.list().find((token) => token.name === name);
  if (existing === undefined) return null;
  refuseOthers(existing);
  return tokens.addScopes(existing.id, added).scopes;
}

/** A device that was paired, or an agent that asked with OAuth, chooses its name. */
function refuseOthers({ name, kind }: TokenInfo): void {
  if (kind === 'agent') return;
  throw new UsageError(
    `The token ${JSON.stringify(name)} was not made with "${ownCommand('mcp config')}". Revoke it with "${ownCommand(`token revoke ${name}`)}" if it is not yours, or change it with "${ownCommand('token change')}"`,
  );
}
