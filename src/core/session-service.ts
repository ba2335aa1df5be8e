import type { Budgets } from '../access/limits/budgets.ts';
import type { LoginCodes } from '../access/sessions/login-codes.ts';
import type { Proof } from '../access/sessions/session-proof.ts';
import type { BrowserSessions, NewSession } from '../access/sessions/sessions.ts';
import type { Grant, Tokens } from '../access/tokens/tokens.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { ownCommand } from '../lib/own-command.ts';
import { createBuckets, takeOrRefuse } from '../lib/token-buckets.ts';
import type { Authenticator } from './authenticator.ts';
import { type Caller, isSameUser } from './caller.ts';
import { requireAdminHere } from './require-scope.ts';

/** With a one-time code that was obtained on this machine, or with a token. */
export type Credential = { code: string } | { secrets: readonly string[] };

export interface SessionServiceParts extends Pick<Authenticator, 'refuseSecret' | 'requireAdmitted'> {
  tokens: Tokens;
  browsers: BrowserSessions;
  login: LoginCodes;
  /** A token was used to sign in. */
  used(tokenId: string, connection: Caller['connection']): void;
  log: Log;
  budgets: Budgets;
  monotonic(): number;
}

export type SessionService = ReturnType<typeof createSessionService>;

/** Signs browsers in. None of them ever gets a token that outlives the service. */
export function createSessionService({
  tokens,
  browsers,
  login,
  refuseSecret,
  requireAdmitted,
  used,
  log,
  budgets,
  monotonic,
}: SessionServiceParts) {
  const refuseCode = (connection: Caller['connection']) =>
    refuseSecret('This code is not valid, was used already, or is older than a minute', connection);

  const grantOf = (credential: Credential, connection: Caller['connection']): Grant => {
    const byCode = 'code' in credential;
    if (byCode && !login.redeem(credential.code)) return refuseCode(connection);
    const secrets = byCode ? [tokens.first()] : credential.secrets.filter((secret) => secret !== '');
    if (secrets.length === 0)
      throw new ServiceError(
        'unauthorized',
        `A token or a one-time code is needed; "${ownCommand('token')}" prints the token`,
      );
    const grant = secrets.map(tokens.find).find((found) => found !== null);
    if (grant === undefined)
      return refuseSecret('This token is not valid: it is misspelled, or was revoked or replaced', connection);
    // The token of this run, which the command line uses, is not for browsers.
    if (grant.kind === 'general' && tokens.list().some(({ id }) => id === grant.id)) return grant;
    throw new ServiceError('forbidden', `The token ${JSON.stringify(grant.name)} is not for browsers`);
  };

  const signIns = createBuckets(budgets.caller.signIns, monotonic);

  return {
    async signIn(credential: Credential, wanted: Omit<NewSession, 'address'>, connection: Caller['connection']) {
      if ('code' in credential) {
        // Only valid codes cause the system call: wrong ones may come by the thousand.
        if (!login.isWaiting(credential.code)) refuseCode(connection);
        // Checked before the code is consumed: other users can neither sign in with it nor consume it.
        if (!(await isSameUser({ connection }))) throw notHere();
      }
      const grant = grantOf(credential, connection);
      used(grant.id, connection);
      const { address } = connection();
      // A closed connection gets no session.
      if (address === '') throw new ServiceError('invalid', 'The connection has ended');
      takeOrRefuse(signIns, grant.id, 'Browsers sign in too often with this token; try again in a moment');
      const signedIn = await browsers.open(grant, { ...wanted, address });
      log.info(`access: ${wanted.name} at ${address} signed in with the token ${grant.name}`);
      return signedIn;
    },
    challenge: browsers.challenge,
    async resume(proof: Proof, connection: Caller['connection']) {
      const signedIn = await browsers.resume(proof, connection().address);
      if (signedIn !== null) return signedIn;
      // Not counted as a wrong token: there is nothing to guess, and a signed-out browser should get the reason.
      throw new ServiceError(
        'unauthorized',
        'This browser is signed out: its session was ended or has expired, or its token was revoked',
      );
    },
    /** For callers on this machine. */
    async list(caller: Caller) {
      await requireAdminHere(caller);
      return browsers.list();
    },
    /** Every browser may end its own session; other sessions are for callers on this machine. */
    async end(id: string, caller: Caller) {
      if (caller.tokenId !== id) await requireAdminHere(caller);
      requireAdmitted(caller);
      const ended = browsers.end(id);
      log.info(`access: ${caller.tokenName} ended the session of ${ended.name}`);
      return ended;
    },
  };
}

const notHere = () =>
  new ServiceError(
    'forbidden',
    'One-time codes are valid only for programs of the user who runs this service, on the machine itself; sign in with a token instead',
  );
