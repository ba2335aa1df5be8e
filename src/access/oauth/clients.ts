import { hmacSha256, isSame, randomBytes, sha256 } from '../../lib/digest.ts';
import { ServiceError } from '../../lib/errors.ts';
import { isObject } from '../../lib/values.ts';
import { checkTokenName } from '../tokens/token-names.ts';
import type { Tokens } from '../tokens/tokens.ts';
import { OauthError } from './oauth-error.ts';

/** A registered client: a program that may ask for a grant. Registration alone grants nothing. */
export interface OauthClient {
  /** Chosen by the client, in the characters of token names. */
  name: string;
  redirects: readonly string[];
  /** The owner registered it. It has to send its secret, and may omit PKCE. */
  hasSecret: boolean;
}

export const maxRedirects = 8;
/** Of all addresses of a client together, in characters: they are part of its id. */
export const maxRedirectLength = 1024;
/** Of the host in an address: a longer one would push the scopes off the permission prompt. */
export const maxHostLength = 100;
const nameLength = 40;
/** What an id is sealed for. */
const publicClient = 'client';
const clientWithSecret = 'confidential';

/** RFC 7591. An id contains the registration, a random part and their seal, so registrations take no memory and need no expiry. */
export type OauthClients = ReturnType<typeof createOauthClients>;

/** Ids that were issued with another first token are not valid. */
export function createOauthClients(tokens: Pick<Tokens, 'first'>) {
  const sealOf = (purpose: string, text: string) =>
    hmacSha256(hmacSha256(sha256(tokens.first()), 'oauth'), `${purpose} ${text}`).toString('base64url');
  const isSeal = (seal: string, purpose: string, text: string) =>
    isSame(Buffer.from(sealOf(purpose, text)), Buffer.from(seal));
  const idOf = (purpose: string, name: string, redirects: readonly string[]) => {
    const body = Buffer.from(JSON.stringify([name, ...redirects])).toString('base64url');
    // Programs of the same name have grants of their own.
    const sealed = `${body}.${randomBytes(12).toString('base64url')}`;
    return `${sealed}.${sealOf(purpose, sealed)}`;
  };
  return {
    /** Throws invalid_redirect_uri or invalid_client_metadata. */
    register(metadata: unknown): { id: string; client: OauthClient } {
      if (!isObject(metadata)) throw new OauthError('invalid_client_metadata', 'The body must be an object in JSON');
      const name = clientName(metadata.client_name);
      const redirects = redirectsOf(metadata.redirect_uris);
      return { id: idOf(publicClient, name, redirects), client: { name, redirects, hasSecret: false } };
    },
    /** For a program that cannot register itself. The secret is not stored: it follows from the id. */
    registerWithSecret(name: string, redirect: string): { id: string; secret: string } {
      checkTokenName(name, []);
      // Without https the code may be read on the way, and is useless without the secret.
      if (!isRedirect(redirect, /^https?:$/))
        throw new ServiceError(
          'invalid',
          'The address to return to must be an http or https address without a fragment',
        );
      const id = idOf(clientWithSecret, name, [redirect]);
      return { id, secret: sealOf('secret', id) };
    },
    isSecretOf: (id: string, secret: string) => isSeal(secret, 'secret', id),
    /** null: the id was not issued by this service. */
    find(id: string): OauthClient | null {
      if (!/^[\w.-]+$/.test(id)) return null;
      const end = id.lastIndexOf('.');
      const sealed = id.slice(0, end);
      const purpose = [publicClient, clientWithSecret].find((each) => isSeal(id.slice(end + 1), each, sealed));
      if (purpose === undefined) return null;
      const [body = ''] = sealed.split('.');
      // Sealed by this service.
      const [name = '', ...redirects] = JSON.parse(Buffer.from(body, 'base64url').toString()) as string[];
      return { name, redirects, hasSecret: purpose === clientWithSecret };
    },
  };
}

/** A program on the machine of its browser, or one that the owner registered. Others named their address themselves (RFC 9700 §4.11.2). */
export const isTrustedAddress = ({ hasSecret }: OauthClient, uri: string): boolean => hasSecret || isLoopbackUri(uri);

/** The registered address, or one that differs in the port of a loopback address only (RFC 8252). */
export const isRegistered = ({ redirects }: OauthClient, uri: string): boolean =>
  redirects.some((known) => known === uri || (isLoopbackUri(known) && withoutPort(known) === withoutPort(uri)));

function redirectsOf(given: unknown): string[] {
  const uris = Array.isArray(given) ? given.map(String) : [];
  if (uris.length === 0 || uris.length > maxRedirects || uris.join('').length > maxRedirectLength)
    throw new OauthError(
      'invalid_redirect_uri',
      `redirect_uris must hold 1 to ${maxRedirects} addresses of ${maxRedirectLength} characters together`,
    );
  if (uris.every((uri) => isRedirect(uri))) return uris;
  throw new OauthError(
    'invalid_redirect_uri',
    `A redirect URI must use https, or http with 127.0.0.1, [::1] or localhost, without a fragment or a user name; its host has at most ${maxHostLength} characters`,
  );
}

function isRedirect(uri: string, schemes = /^https:$/): boolean {
  const url = URL.parse(uri);
  if (url === null || uri.includes('#') || url.username !== '' || url.password !== '') return false;
  // The prompt names the host in a sentence: other characters could continue it.
  if (url.host.length > maxHostLength || !/^(\[[\da-f:]+\]|[\w.-]+)$/.test(url.hostname)) return false;
  // A backslash or a space would make the text and the parsed address differ.
  return /^[\x21-\x5b\x5d-\x7e]+$/.test(uri) && (schemes.test(url.protocol) || isLoopbackUri(uri));
}

function isLoopbackUri(uri: string): boolean {
  const url = URL.parse(uri);
  return url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname);
}

function withoutPort(uri: string): string | null {
  const url = URL.parse(uri);
  if (url !== null) url.port = '';
  return url?.href ?? null;
}

/** A name that a token can have: other characters become spaces. */
function clientName(given: unknown): string {
  const text = typeof given === 'string' ? given : '';
  const name = text
    .slice(0, 256)
    .replace(/[^\w.:@-]+/g, ' ')
    .trim()
    .slice(0, nameLength)
    .trim();
  try {
    checkTokenName(name, []);
    return name;
  } catch (error) {
    if (error instanceof ServiceError) return 'agent';
    throw error;
  }
}
