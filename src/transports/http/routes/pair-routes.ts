import type { z } from 'zod';
import type { Pairing, PairWish } from '../../../access/pairing/pairing.ts';
import type { Scope } from '../../../access/scopes.ts';
import { browserNameOf } from '../../../access/sessions/browser-name.ts';
import { parse } from '../../../core/json/parse.ts';
import type { Routes } from '../../../core/route-table.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { readUnauthenticatedJson } from '../body.ts';
import { jsonResponse } from '../respond.ts';
import type { createPairSchema } from './pair.schema.ts';

/** Pairing of devices without a token. */
export function pairRoutes(
  known: readonly Scope[],
  pairing: () => Promise<Pairing>,
  ownCertificates: () => readonly string[],
): Routes {
  return {
    '/api/pair/begin': { POST: async () => jsonResponse(await (await pairing()).begin()) },
    '/api/pair': {
      async POST(request) {
        const { createPairSchema } = await import('./pair.schema.ts');
        const wanted = parse(createPairSchema(known), await readUnauthenticatedJson(request.raw), 'pairing');
        refuseOtherCertificate(wanted.agreed?.certificate ?? null, ownCertificates());
        const wish = toWish(wanted, browserNameOf(request.headers.get('user-agent') ?? ''));
        return jsonResponse(await (await pairing()).ask(wish, request.connection));
      },
    },
    '/api/pair/fetch': {
      async POST(request) {
        const { pairFetchSchema } = await import('./pair.schema.ts');
        const { id, claim } = parse(pairFetchSchema, await readUnauthenticatedJson(request.raw), 'pairing');
        return jsonResponse(await (await pairing()).fetch(id, claim));
      },
    },
  };
}

/** A relay can replace the fingerprint; then the digits of the two sides differ. */
export function refuseOtherCertificate(seen: string | null, own: readonly string[]): void {
  if (seen === null || own.includes(seen)) return;
  throw new ServiceError(
    'forbidden',
    `The certificate that this device sees (${seen}) is not the certificate of this machine. Another machine, or a proxy, is answering in its place. Nothing was granted`,
  );
}

type PairBody = z.infer<ReturnType<typeof createPairSchema<Scope>>>;

/** `browserName` is what a browser is called that has no name. */
export function toWish({ name, scopes, agreed, clear, browser }: PairBody, browserName: string): PairWish {
  if (name == null && browser == null)
    throw new ServiceError('invalid', 'name is missing: it is the name of this device');
  return {
    name: name ?? browserName,
    isNamed: name != null,
    scopes: scopes ?? null,
    browser: browser == null ? null : { key: browser.public_key ?? null, stay: browser.stay ?? false },
    way: toWay(agreed, clear),
  };
}

function toWay(agreed: PairBody['agreed'], clear: PairBody['clear']): PairWish['way'] {
  if (agreed != null) {
    const { id, public_key: publicKey, nonce, certificate, proof } = agreed;
    return { id, publicKey, nonce, certificate: certificate ?? null, proof: proof ?? null };
  }
  if (clear?.code != null) return { code: clear.code };
  if (clear?.secret != null) return { secret: clear.secret };
  throw new ServiceError('invalid', 'pairing requires agreed, or clear with a secret or a code');
}
