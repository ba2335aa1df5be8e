import type { Lockout } from '../access/lockout.ts';
import type { LoginCodes } from '../access/login.ts';
import type { Scope } from '../access/scopes.ts';
import type { TokenInfo } from '../access/token-file.ts';
import type { Grant, Tokens } from '../access/tokens.ts';
import type { Host } from '../host/host.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { ActionDefinition, ActionResult } from './action.ts';
import { type Caller, isLocal } from './caller.ts';
import { ServiceError } from './errors.ts';
import type { Log } from './log.ts';
import type { ModuleDefinition } from './module.ts';
import { parse } from './parse.ts';
import type { Store } from './store.ts';

/** What transports need, and all they know. */
export interface Service {
  version: string;
  modules: readonly ModuleDefinition[];
  store: Store;
  actions: readonly ActionDefinition[];
  /** The caller behind the first valid one of these secrets. Throws unauthorized, or rate_limited after too many wrong ones. */
  authorize(secrets: readonly string[], connection: Caller['connection']): Caller;
  /** A token for a one-time code that was obtained on this machine. */
  login(code: string, connection: Caller['connection']): string;
  perform(action: ActionDefinition, input: unknown, caller: Caller): Promise<ActionResult>;
  /** Creating takes no more scopes than the caller has. All of it is for callers on this machine only. */
  tokens: {
    list(caller: Caller): TokenInfo[];
    create(name: string, scopes: Scope[], caller: Caller): { secret: string; token: TokenInfo };
    revoke(idOrName: string, caller: Caller): TokenInfo;
  };
}

export interface ServiceParts {
  version: string;
  modules: readonly ModuleDefinition[];
  store: Store;
  actions: readonly ActionDefinition[];
  tokens: Tokens;
  lockout: Lockout;
  login: LoginCodes;
  settings(): Settings;
  host: Host;
  log: Log;
}

export function createService({ tokens, lockout, login, ...parts }: ServiceParts): Service {
  const { log } = parts;

  const refuseSecret = (sentence: string, connection: Caller['connection']): never => {
    const { address } = connection();
    const shut = lockout.wrong(address);
    if (shut === null) throw new ServiceError('unauthorized', sentence);
    if (shut.justShut) log.warn(`access: too many wrong tokens from ${address}`);
    throw new ServiceError('rate_limited', 'Too many wrong tokens from this address; a right one still passes', shut);
  };

  return {
    version: parts.version,
    modules: parts.modules,
    store: parts.store,
    actions: parts.actions,
    authorize(secrets, connection) {
      for (const secret of secrets) {
        const token = secret === '' ? null : tokens.find(secret);
        if (token !== null) return toCaller(token, connection);
      }
      if (secrets.every((secret) => secret === '')) {
        throw new ServiceError(
          'unauthorized',
          'A token is needed, in the header X-API-Token; "hostler token" prints it',
        );
      }
      return refuseSecret('This token is not valid: it is misspelt, or was revoked or replaced', connection);
    },
    login(code, connection) {
      if (login.redeem(code)) return tokens.first();
      return refuseSecret('This code is not valid, was used already, or is older than a minute', connection);
    },
    async perform(action, input, caller) {
      requireScope(caller, action.scope);
      const checked = parse(await action.input(), input ?? {}, action.name);
      return await action.run(checked, { host: parts.host, settings: parts.settings, log, caller });
    },
    tokens: {
      list(caller) {
        requireAdminHere(caller);
        return tokens.list();
      },
      create(name, scopes, caller) {
        requireAdminHere(caller);
        for (const scope of scopes) requireScope(caller, scope);
        const created = tokens.create(name, [...new Set(scopes)]);
        log.info(`access: ${caller.tokenName} made the token ${name} with ${scopes.join(', ')}`);
        return created;
      },
      revoke(idOrName, caller) {
        requireAdminHere(caller);
        const token = tokens.revoke(idOrName);
        log.info(`access: ${caller.tokenName} revoked the token ${token.name}`);
        return token;
      },
    },
  };
}

export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new ServiceError('forbidden', `The token ${JSON.stringify(caller.tokenName)} lacks the scope "${scope}"`);
}

function requireAdminHere(caller: Caller): void {
  requireScope(caller, 'admin');
  if (isLocal(caller)) return;
  throw new ServiceError('forbidden', 'Tokens are managed on the machine itself only: use "hostler token" there');
}

function toCaller({ id, name, granted }: Grant, connection: Caller['connection']): Caller {
  return { tokenId: id, tokenName: name, scopes: granted, connection };
}
