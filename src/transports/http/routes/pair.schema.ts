import { z } from 'zod';

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

/** Asking for access; docs/pairing.md says what each side computes. */
export const createPairSchema = <S extends string>(known: readonly S[]) =>
  z.object({
    name: z.string().min(1).max(40).nullish().describe('What the device is to be called; browsers may leave it out'),
    scopes: z
      .array(z.enum(known))
      .min(1)
      .max(known.length)
      .nullish()
      .describe('What it wants to do; never admin. Without it: reading, or what the printed code grants'),
    agreed: z
      .object({
        id: id.describe('Of the attempt, from /api/pair/begin'),
        public_key: point.describe('Key of the device that asks, P-256, as an uncompressed point in base64url'),
        nonce: secret.describe('32 random bytes in base64url'),
        certificate: fingerprint
          .nullish()
          .describe(
            'SHA-256 of the certificate authority of the service, if the device trusts it only because of this pairing',
          ),
        proof: secret.nullish().describe('Shows that the printed code is known; without it the user is asked'),
      })
      .nullish()
      .describe('For devices that can compute keys: the grant is returned encrypted'),
    clear: z
      .object({
        secret: secret.nullish().describe('32 random bytes in base64url, to fetch the answer with'),
        code: z.string().min(1).max(32).nullish().describe('The printed code; without it the user is asked'),
      })
      .nullish()
      .describe(
        'For pages without Web Crypto, over plain HTTP: anyone who can read the network traffic can read this too',
      ),
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
  commitment: z.string().describe('Commitment to that key and to the nonce that is returned when the user is asked'),
  expires_in: z.number().describe('Seconds until it runs out'),
});

export const pairAskedSchema = z.object({
  state: z.enum(['asked', 'granted']).describe('asked: the user sees the prompt; granted: the code was right'),
  id: z.string().optional().describe('Of the request, to fetch the answer with'),
  nonce: z.string().nullable().optional().describe('Of the service; both compute the digits from it'),
  digits: z.string().nullable().optional().describe('To be compared, where no keys were agreed on'),
  expires_in: z.number().optional().describe('Seconds until the prompt expires'),
  sealed: z.string().optional().describe('What was granted, encrypted'),
  granted: z.unknown().optional().describe('What was granted, unencrypted'),
});

export const pairFetchSchema = z.object({
  id: id.describe('Of the request'),
  claim: secret.describe('Proof that this device made the request'),
});

export const pairAnswerSchema = z.object({
  state: z.enum(['waiting', 'refused', 'granted']).describe('waiting: ask again in a second'),
  reason: z.string().optional().describe('Why it was refused'),
  sealed: z.string().optional().describe('What was granted, encrypted; returned once'),
  granted: z.unknown().optional().describe('What was granted, unencrypted; returned once'),
});

/** On the socket of the commands only. */
export const createPairCodeSchema = <S extends string>(known: readonly S[]) =>
  z.object({ scopes: z.array(z.enum(known)).min(1).max(known.length) });
