import path from 'node:path';
import { openBrowserSessions } from '../../access/sessions/sessions.ts';
import { machineTokensDirectory } from '../../access/tokens/machine-tokens.ts';
import { checkTokenName } from '../../access/tokens/token-names.ts';
import { createTokenUses } from '../../access/tokens/token-uses.ts';
import { firstTokenName, openTokens } from '../../access/tokens/tokens.ts';
import { machineIdPrefix } from '../../core/caller.ts';
import { type ListFlags, listed } from '../../core/list-flags.ts';
import type { UsedToken } from '../../core/token-service.ts';
import { allScopes, scopes } from '../../features/index.ts';
import type { Host } from '../../host/host.ts';
import { randomBytes, sha256 } from '../../lib/digest.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import { explainMissing } from '../mcp/mcp-missing.ts';
import { findService } from '../running-service.ts';
import { scopesFrom } from './scopes-from.ts';

export function printToken({ host, answer }: CliContext): void {
  const token = openTokens(scopes, host).first();
  answer({ token }, token);
}

export async function listTokens({ host, answer, complain, table }: CliContext, flags: ListFlags): Promise<void> {
  const tokens = openTokens(scopes, host, complain);
  tokens.first();
  const browsers = openBrowserSessions(scopes, host, tokens).list();
  const lastUse = await readUses(host);
  const all = [
    ...tokens.list().map((token) => ({ ...token, ...lastUse(token.id) })),
    ...browsers.map((browser) => ({ ...browser, kind: 'browser' as const, last_address: browser.address })),
  ];
  const schema = async () =>
    (await import('../../transports/http/access.schema.ts')).createAccessSchemas(scopes.all).usedTokenSchema;
  const list = await listed(all, flags, schema, 'A token');
  const rows = list.map(({ name, id, kind, scopes: granted, created, last_used, last_address }) => [
    name,
    id,
    uses[kind],
    granted.length === allScopes.length ? 'all' : granted.join(','),
    last_used === null ? 'never' : `${last_used}${last_address === null ? '' : ` from ${last_address}`}`,
    created ?? (id.startsWith(machineIdPrefix) ? 'by the administrator' : 'at the first start'),
  ]);
  await answer(list, () => table(['NAME', 'ID', 'FOR', 'SCOPES', 'LAST USED', 'CREATED'], rows));
}

type LastUse = Pick<UsedToken, 'last_used' | 'last_address'>;

/** The running service knows the last use; the file may be some minutes older. */
async function readUses(host: Host): Promise<(id: string) => LastUse> {
  const service = await findService(host).catch(() => null);
  const listed = await service?.get('/tokens').catch(() => null);
  if (Array.isArray(listed)) {
    const known = new Map((listed as UsedToken[]).map((token) => [token.id, token]));
    return (id) => ({ last_used: known.get(id)?.last_used ?? null, last_address: known.get(id)?.last_address ?? null });
  }
  const saved = createTokenUses(host);
  return (id) => {
    const use = saved.of(id);
    return { last_used: use === null ? null : new Date(use.at).toISOString(), last_address: use?.address ?? null };
  };
}

const uses = {
  general: 'any client',
  agent: 'agents only',
  oauth: 'an agent, by OAuth',
  browser: 'a browser, signed in',
};

export function createToken(
  { host, print, complain, answer }: CliContext,
  { name, scope }: { name: string; scope: string },
): void {
  const { secret, token } = openTokens(scopes, host).create(name, scopesFrom(scope));
  answer({ ...token, token: secret }, () => {
    complain(`Created the token "${name}" (${token.scopes.join(', ')}). Its secret is shown only once:`);
    print(secret);
  });
}

export async function changeToken(
  context: CliContext,
  idOrName: string,
  { addScope }: { addScope: string },
): Promise<void> {
  const added = scopesFrom(addScope);
  const token = openTokens(scopes, context.host).addScopes(idOrName, added);
  await context.answer(token, `The token "${token.name}" may now do this: ${token.scopes.join(', ')}.`);
  if (!context.isJson && token.kind !== 'general') await explainMissing(context, added);
}

export interface HashOptions {
  name: string;
  scope: string;
  secretFile?: string;
}

/** Shorter ones could be guessed: the hash is distributed to the machines, and many can read it. */
const shortestSecret = 32;

/** Creates the file for the administrator's directory, for one token on many machines. */
export function hashToken(context: CliContext, { name, scope, secretFile }: HashOptions): void {
  const { host, print, complain } = context;
  const known = secretFile === undefined ? null : host.storage.read(secretFile)?.trim();
  if (known === undefined) throw new UsageError(`There is no file ${secretFile}`);
  if (known !== null && known.length < shortestSecret)
    throw new UsageError(`The secret in ${secretFile} must have at least ${shortestSecret} characters`);
  const secret = known ?? randomBytes(32).toString('base64url');
  const created = new Date(host.clock.now()).toISOString();
  checkTokenName(name, []);
  const token = { name, scopes: scopesFrom(scope), created, sha256: sha256(secret).toString('hex') };
  if (context.isJson) return void context.answer({ ...token, token: secret });
  if (known === null) complain(`The secret of the token "${name}", for its clients; it is shown only once:\n${secret}`);
  const file = path.join(
    host.storage.machine?.directory ?? '',
    machineTokensDirectory,
    `${name.replaceAll(' ', '-')}.json`,
  );
  complain(`Put the line below into ${file} on every machine, where only its administrator may change it:`);
  print(JSON.stringify(token));
}

export function listScopes({ answer, table }: CliContext): void {
  const rows = allScopes.map((scope): [string, string] => [scope, scopes.of(scope).description]);
  answer(Object.fromEntries(rows), () => table(['SCOPE', 'GRANTS'], rows));
}

export function revokeToken({ host, print }: CliContext, idOrName: string): void {
  const tokens = openTokens(scopes, host);
  const browsers = openBrowserSessions(scopes, host, tokens);
  if (browsers.valid(idOrName)) return print(`${browsers.end(idOrName).name} was signed out.`);
  print(`The token "${tokens.revoke(idOrName).name}" was revoked.`);
}

export function rotateToken({ host, answer }: CliContext, idOrName = firstTokenName): void {
  const token = openTokens(scopes, host).rotate(idOrName);
  answer({ token }, token);
}
