import type { Scope } from '../access/scopes.ts';
import { ServiceError } from '../lib/errors.ts';
import { ownCommand } from '../lib/own-command.ts';
import { type Caller, isLocal } from './caller.ts';

/** Whether the caller has one of these scopes. */
export const hasScope = ({ scopes }: Pick<Caller, 'scopes'>, ...enough: readonly Scope[]): boolean =>
  hasOneOf(scopes, enough);

/** Throws unless the caller has one of these scopes. */
export function requireScope(caller: Caller, ...enough: readonly Scope[]): void {
  if (hasOneOf(caller.scopes, enough)) return;
  throw new ServiceError(
    'forbidden',
    `The token ${JSON.stringify(caller.tokenName)} lacks the scope "${enough.join('" or "')}"${remedy(caller, enough)}`,
  );
}

function remedy(caller: Caller, [scope]: readonly Scope[]): string {
  const command = scope === undefined ? null : grantCommand(caller, scope);
  return command === null ? '' : `; "${command}" on the machine grants it`;
}

/** The command with which the user of the machine grants it; null: it is granted in another way. */
export function grantCommand({ isExtensible = false, tokenId, tokenName }: Caller, scope: Scope): string | null {
  // Other names would have to be quoted, in each shell differently.
  const name = /^[\w.:@][\w.:@-]*$/.test(tokenName) ? tokenName : tokenId;
  return isExtensible ? ownCommand(`token change ${name} --add-scope ${scope}`) : null;
}

/** The only place that checks. A loop: it runs for every request. */
function hasOneOf(scopes: ReadonlySet<Scope>, enough: readonly Scope[]): boolean {
  for (const scope of enough) if (scopes.has(scope)) return true;
  return false;
}

/** Throws unless the caller may administer and is on this machine. */
export async function requireAdminHere(caller: Caller): Promise<void> {
  requireScope(caller, 'admin');
  if (await isLocal(caller)) return;
  throw new ServiceError(
    'forbidden',
    `Tokens are managed on the machine itself only, by the user who runs this service: use "${ownCommand('token')}" there`,
  );
}
