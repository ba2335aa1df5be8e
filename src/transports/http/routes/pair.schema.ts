import { z } from 'zod';
import { allScopes } from '../../../access/scopes.ts';

const scope = z.enum(allScopes);
const secret = z
  .string()
  .regex(/^[\w-]{43}$/, 'must be 32 bytes in base64url')
  .meta({ examples: ['A'.repeat(43)] });
const point = z
  .string()
  .regex(/^[\w-]{87}$/, 'must be a P-256 key, as an uncompressed point in base64url')
  .meta({ examples: ['B'.repeat(87)] });
const fingerprint = z
  .string()
  .regex(/^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/, 'must be a SHA-256 fingerprint such as AB:CD:…')
  .meta({ examples: [Array.from({ length: 32 }, () => 'AB').join(':')] });
const id = z.string().min(1).max(128);

/** Requests access; docs/pairing.md specifies what each side computes. */
export const pairSchema = z.object({
  name: z.string().min(1).max(40).nullish().describe('What the device is to be called; browsers may leave it out'),
  scopes: z
    .array(scope)
    .min(1)
    .max(allScopes.length)
    .nullish()
    .describe('What it wants to do; never admin. Without it: reading, or what the printed code grants'),
  agreed: z
    .object({
      id: id.describe('Of the attempt, from /api/pair/begin'),
      public_key: point.describe('Key of the one who asks, P-256, as an uncompressed point in base64url'),
      nonce: secret.describe('32 random bytes in base64url'),
      certificate: fingerprint
        .nullish()
        .describe('SHA-256 of who vouches for the service, where the device trusts it only because of this pairing'),
      proof: secret.nullish().describe('Shows that the printed code is known; without it the user is asked'),
    })
    .nullish()
    .describe('For everybody who can compute it: what is granted comes back encrypted'),
  clear: z
    .object({
      secret: secret.nullish().describe('32 random bytes in base64url, to fetch the answer with'),
      code: z.string().min(1).max(32).nullish().describe('The printed code; without it the user is asked'),
    })
    .nullish()
    .describe('For pages that a browser gives no keys to, over plain HTTP: whoever reads the network reads this too'),
  browser: z
    .object({
      public_key: point.nullish().describe('As in /api/login'),
      stay: z.boolean().nullish().describe('As in /api/login'),
    })
    .nullish()
    .describe('For browsers, which get a session instead of a token'),
});

export const pairBegunSchema = z.object({
  id: z.string().describe('Of this attempt; good once'),
  public_key: z.string().describe('Key of the service, P-256, as an uncompressed point in base64url'),
  commitment: z.string().describe('To that key and to the nonce that is told when the user is asked'),
  expires_in: z.number().describe('Seconds until it runs out'),
});

export const pairAskedSchema = z.object({
  state: z.enum(['asked', 'granted']).describe('asked: the user sees the question; granted: the code was right'),
  id: z.string().optional().describe('Of the request, to fetch the answer with'),
  nonce: z.string().nullable().optional().describe('Of the service; both compute the digits from it'),
  digits: z.string().nullable().optional().describe('To be compared, where no keys were agreed on'),
  expires_in: z.number().optional().describe('Seconds until the question goes off the screen'),
  sealed: z.string().optional().describe('What was granted, encrypted'),
  granted: z.unknown().optional().describe('What was granted, in the clear'),
});

export const pairFetchSchema = z.object({
  id: id.describe('Of the request'),
  claim: secret.describe('What only the one who asked can know'),
});

export const pairAnswerSchema = z.object({
  state: z.enum(['waiting', 'refused', 'granted']).describe('waiting: ask again in a second'),
  reason: z.string().optional().describe('Why it was refused'),
  sealed: z.string().optional().describe('What was granted, encrypted; told once'),
  granted: z.unknown().optional().describe('What was granted, in the clear; told once'),
});

/** On the local socket only. */
export const pairCodeSchema = z.object({ scopes: z.array(scope).min(1).max(allScopes.length) });
