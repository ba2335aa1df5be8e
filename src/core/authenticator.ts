import type { Lockout } from '../access/limits/lockout.ts';
import type { Scope } from '../access/scopes.ts';
import type { BrowserSessions } from '../access/sessions/sessions.ts';
import type { TokenKind } from '../access/tokens/token-file.ts';
import type { Grant, Tokens } from '../access/tokens/tokens.ts';
import type { Clock } from '../lib/clock.ts';
import { stopAll } from '../lib/closing.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { ownCommand } from '../lib/own-command.ts';
import { createSparingLines } from '../lib/rate-limited-log.ts';
import { brokerId, type Caller, commandLineId, machineIdPrefix, shownAddress } from './caller.ts';

/** Identifies the caller by a secret: a token, or a browser session. Both have an id, and both can end at any time. */
export interface Authenticator {
  /**
   * The caller of the first valid secret; the ones after it are not read. Throws unauthorized, rate_limited after too many wrong ones, or forbidden for a token that is
   * only valid for agents at /api/mcp.
   */
  authorize(secrets: Iterable<string>, connection: Caller['connection'], kind?: TokenKind): Caller;
  /** Whether one of these secrets is valid. Wrong ones are not counted. */
  knows(secrets: Iterable<string>): boolean;
  /** The token or browser session of the first valid secret; null: none of them is valid. Wrong ones are not counted. */
  identify(secrets: Iterable<string>): Pick<Grant, 'id' | 'name' | 'shareId'> | null;
  /** Whether the token or session of this caller still grants everything that it granted then. */
  admits(caller: Pick<Caller, 'tokenId' | 'scopes'>): boolean;
  /** Throws unauthorized if it does not. Call it after a body was received: the client determines how long that takes. */
  requireAdmitted(caller: Caller): void;
  /** Calls back when a token or session was created, changed or ended, here or by another process; returns the function that stops it. */
  follow(changed: () => void): () => void;
  /** Throws, and counts the attempt. */
  refuseSecret(sentence: string, connection: Caller['connection']): never;
  close(): void;
}

interface AuthenticatorParts {
  tokens: Tokens;
  browsers: BrowserSessions;
  lockout: Lockout;
  log: Log;
  clock: Clock;
  /** What clients of the MQTT broker may do now; null: no broker is set. */
  brokerScopes(): readonly Scope[] | null;
  /** For the history: what unauthenticated clients tried. */
  noteSignIn(text: string): void;
  used(tokenId: string, connection: Caller['connection']): void;
}

/** Log lines about wrong tokens, per minute. */
const mostLines = 20;
/** Events in the history about wrong tokens, per minute: they are kept for weeks. */
const mostEvents = 2;

export function createAuthenticator({
  tokens,
  browsers,
  lockout,
  log,
  clock,
  brokerScopes,
  noteSignIn,
  used,
}: AuthenticatorParts): Authenticator {
  // Unauthenticated clients can send wrong tokens from many addresses.
  const wrongSecrets = createSparingLines(clock, {
    most: mostLines,
    write: log.info,
    more: (count) => `access: ${count} more wrong tokens or codes in this minute`,
  });
  const shutOut = createSparingLines(clock, {
    most: mostLines,
    write: log.warn,
    more: (count) => `access: too many wrong tokens from ${count} more networks in this minute`,
  });
  const events = createSparingLines(clock, {
    most: mostEvents,
    write: noteSignIn,
    more: (count) => `${count} more wrong tokens or codes were received within a minute`,
  });
  const refuseSecret = (sentence: string, connection: Caller['connection']): never => {
    const { address } = connection();
    const shut = lockout.wrong(address);
    events.say(() => `A wrong token or code was received from ${shownAddress(address)}`);
    if (shut === null) {
      wrongSecrets.say(() => `access: a wrong token or code from ${shownAddress(address)}`);
      throw new ServiceError('unauthorized', sentence);
    }
    if (shut.justShut) shutOut.say(() => `access: too many wrong tokens from ${shownAddress(address)}`);
    throw new ServiceError(
      'rate_limited',
      'Too many wrong tokens from this address; a valid one is still accepted',
      shut,
    );
  };

  const brokerGrant = () => {
    const scopes = brokerScopes();
    return scopes === null ? null : new Set(scopes);
  };

  const admits: Authenticator['admits'] = ({ tokenId, scopes }) => {
    if (tokenId === commandLineId) return true;
    const granted = tokenId === brokerId ? brokerGrant() : (tokens.granted(tokenId) ?? browsers.granted(tokenId));
    return granted !== null && scopes.isSubsetOf(granted);
  };

  const grantOf = (secret: string): Grant | null =>
    secret === '' ? null : (tokens.find(secret) ?? browsers.find(secret));

  const firstGrant = (secrets: Iterable<string>): Grant | null => {
    for (const secret of secrets) {
      const grant = grantOf(secret);
      if (grant !== null) return grant;
    }
    return null;
  };

  return {
    authorize(secrets, given, kind = 'general') {
      const connection = kind === 'agent' ? asItIsNow(given) : given;
      const wrong: string[] = [];
      for (const secret of secrets) {
        const token = grantOf(secret);
        if (token === null) {
          if (secret !== '') wrong.push(secret);
          continue;
        }
        // Browser sessions have their own list, with the time of their last use.
        if (token.kind !== 'browser') used(token.id, connection);
        if (token.kind === 'general' || token.kind === kind || (token.kind === 'oauth' && kind === 'agent'))
          return toCaller(token, connection);
        if (token.kind === 'browser' && kind === 'general') return toCaller(token, connection);
        if (token.kind === 'browser')
          throw new ServiceError(
            'forbidden',
            'The session of a browser is not valid for agents: create a token for the agent',
          );
        throw new ServiceError(
          'forbidden',
          `The token ${JSON.stringify(token.name)} is for agents: it works at /api/mcp only`,
        );
      }
      if (wrong.length === 0) {
        throw new ServiceError(
          'unauthorized',
          `A token is needed, in the header X-API-Token; "${ownCommand('token')}" prints it`,
        );
      }
      // Expected, at the end of each access token: it does not count as an attempt.
      if (wrong.some(tokens.hasExpired))
        throw new ServiceError('unauthorized', 'This access token has expired; refresh it');
      return refuseSecret('This token is not valid: it is misspelled, or was revoked or replaced', connection);
    },
    knows: (secrets) => firstGrant(secrets) !== null,
    identify: firstGrant,
    admits,
    requireAdmitted(caller) {
      if (admits(caller)) return;
      throw new ServiceError(
        'unauthorized',
        'This token is no longer valid: it was revoked or changed during the request',
      );
    },
    follow: (changed) => stopAll([tokens.follow(changed), browsers.follow(changed)]),
    refuseSecret,
    close: stopAll([wrongSecrets.close, shutOut.close, events.close]),
  };
}

/** Agents get the head of their response before they act, and the runtime no longer knows the address then. */
function asItIsNow(connection: Caller['connection']): Caller['connection'] {
  const now = connection();
  return () => now;
}

function toCaller({ id, shareId, name, granted, kind, oauth }: Grant, connection: Caller['connection']): Caller {
  const isBrowser = kind === 'browser';
  const isExtensible = !isBrowser && !id.startsWith(machineIdPrefix);
  // Without a spread, which would cost a request more than its scopes and its route.
  const caller: Caller = { tokenId: id, tokenName: name, scopes: granted, isExtensible, connection };
  if (isBrowser) caller.isBrowser = true;
  if (shareId !== undefined) caller.shareId = shareId;
  if (oauth !== undefined) caller.expiresAt = Date.parse(oauth.access_expires);
  return caller;
}
