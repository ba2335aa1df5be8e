import { z } from 'zod';

/** Bodies and responses of the HTTP interface only. */
export const statusSchema = z.object({
  status: z.literal('success').describe('Result indicator'),
  message: z.string().describe('A sentence that says the API is running'),
  data: z.object({}).describe('Empty'),
});

export const healthSchema = z.object({
  status: z.literal('healthy').describe('Health indicator'),
  timestamp: z.iso.datetime().describe('Current time, ISO 8601, UTC'),
  version: z.string().describe('Version of the service'),
});

export const errorSchema = z.object({ error: z.string().describe('What is wrong, as a sentence') });

export const moduleStateSchema = z.object({
  name: z.string().describe('Name of the module, as in /api/data/{module}'),
  description: z.string().describe('What it holds'),
  interval_ms: z.number().describe('Milliseconds between updates for a listener that names no interval'),
  availability: z
    .enum(['available', 'degraded', 'unavailable'])
    .describe('degraded: something that could be there is missing; unavailable: the module has no data now'),
  reasons: z
    .array(
      z.object({
        field: z.string().nullable().describe('Path of the field that is null; null: the whole module'),
        reason: z.string().describe('Why, and how to get it'),
        mendable: z.boolean().describe('Whether something can be done about it'),
      }),
    )
    .describe('Why fields are null'),
  cost: z
    .object({
      reads: z.number().describe('Reads since the service started'),
      cpu_ms: z.number().describe('CPU milliseconds of the last read, waiting not counted'),
      wall_ms: z.number().describe('Milliseconds the last read took'),
      bytes: z.number().describe('Size of the last payload'),
      total_cpu_ms: z.number().describe('CPU milliseconds of all reads'),
    })
    .describe('What reading it costs'),
});

export const revokeTokenSchema = z.object({ id: z.string().min(1).max(64).describe('Id or name of the token') });

const browserId = z.string().min(1).max(64).describe('Id of the browser session');

export const signInHelpSchema = z.object({
  command: z
    .string()
    .describe(
      'How Hostler is run on this machine: with "token" after it, it prints the token; with "open", it signs a browser in',
    ),
  secure: z
    .object({
      port: z.int().describe('Port with TLS'),
      own_authority: z
        .boolean()
        .describe('Whether devices have to trust the authority of this machine first (/api/tls/authority.crt)'),
    })
    .nullable()
    .describe('Encrypted access; null: it is off, or not open yet'),
});

export const loginSchema = z.object({
  code: z
    .string()
    .min(1)
    .max(128)
    .nullish()
    .describe('A one-time code obtained on the machine itself; without it the request carries a token'),
  public_key: z
    .string()
    .max(128)
    .nullish()
    .describe(
      'Public key of the browser, P-256, as an uncompressed point in base64url; without it the session cannot be resumed',
    ),
  stay: z.boolean().nullish().describe('30 days from the last use on instead of 12 hours; needs public_key'),
});

export const challengeSchema = z.object({
  challenge: z
    .string()
    .describe(
      'To be signed: "hostler-browser-session-2", the origin of the page (empty without a header Origin), the id and this, with line feeds between',
    ),
  expires_in: z.number().describe('Seconds until it runs out'),
});

export const proofSchema = z.object({
  id: browserId,
  challenge: z.string().min(1).max(256).describe('As it was given'),
  signature: z.string().min(1).max(256).describe('ECDSA with SHA-256, as r and s, in base64url'),
});

export const endSessionSchema = z.object({ id: browserId });

export const ticketInputSchema = z.object({
  base: z.string().min(1).max(256).nullish().describe('Key of a base directory, such as music'),
  path: z.string().min(1).max(8192).nullish().describe('File inside the base'),
  ticket: z
    .string()
    .min(1)
    .max(128)
    .nullish()
    .describe('In place of both: one that is still good, to be good for longer'),
});

export const ticketSchema = z.object({
  ticket: z.string().describe('For /api/media/file/data?ticket=…'),
  expires_in: z.number().describe('Seconds until it runs out'),
});

export const actionResultSchema = z.object({
  status: z.literal('success'),
  message: z.string().describe('What was done, as a sentence'),
  data: z.record(z.string(), z.unknown()).describe('Details of the action'),
});
