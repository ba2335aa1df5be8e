import { z } from 'zod';
import { allScopes } from '../../access/scopes.ts';

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
  interval_ms: z.number().describe('Milliseconds between updates while somebody listens'),
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

const scope = z.enum(allScopes);

export const actionStateSchema = z.object({
  name: z.string().describe('Name of the action, such as power.lock'),
  description: z.string().describe('What it does'),
  event: z.string().describe('Its event on the WebSocket'),
  route: z.string().describe('Path to POST it to'),
  effect: z
    .enum(['read', 'write', 'disrupt'])
    .describe('read changes nothing, write changes something, disrupt gets in the way of people who use the machine'),
  scopes: z.array(scope).describe('Any one of these is enough'),
  allowed: z.boolean().describe('Whether the token of this request may use it'),
  available: z.boolean().describe('Whether it would work here now'),
  reason: z.string().nullable().describe('What is missing, and how to get it'),
});

export const tokenInfoSchema = z.object({
  id: z.string().describe('Identifies the token; not secret'),
  name: z.string().describe('Client it was created for'),
  scopes: z.array(scope).describe('What it may do'),
  kind: z.enum(['general', 'agent']).describe('agent: works at /api/mcp only'),
  created: z.string().nullable().describe('ISO time; null for the first token'),
});

export const usedTokenSchema = tokenInfoSchema.extend({
  last_used: z.string().nullable().describe('When it was used last, ISO time; null: not since this is noted'),
  last_address: z.string().nullable().describe('The address it was used from then'),
});

export const connectedClientSchema = z.object({
  token: z.string().describe('Name of the token it came with, or of the one its browser signed in with'),
  scopes: z.array(scope).describe('What it may do'),
  address: z.string().describe('Where it comes from'),
  software: z.string().nullable().describe('What it calls itself; not to be trusted'),
  through: z.string().describe('How it is connected: websocket or mcp'),
  since: z.string().describe('ISO time'),
});

export const newTokenSchema = z.object({
  name: z.string().min(1).max(64).describe('Client it is for; unique'),
  scopes: z.array(scope).min(1).max(allScopes.length).describe('What it may do; at most what the caller may do'),
});

export const createdTokenSchema = tokenInfoSchema.extend({ token: z.string().describe('The secret; shown here only') });

export const revokeTokenSchema = z.object({ id: z.string().min(1).max(64).describe('Id or name of the token') });

const browserId = z.string().min(1).max(64).describe('Id of the browser session');

export const signInHelpSchema = z.object({
  command: z
    .string()
    .describe(
      'How Hostler is run on this machine: with "token" after it, it prints the token; with "open", it signs a browser in',
    ),
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

export const browserSessionSchema = z.object({
  id: z.string().describe('Identifies the session; not secret'),
  name: z.string().describe('Browser and platform'),
  scopes: z.array(scope).describe('What it may do: what the token may that it signed in with'),
  token: z.string().describe('Name of that token; the session ends with it'),
  stay: z.boolean().describe('Whether it stays signed in'),
  address: z.string().describe('Where it was last seen'),
  created: z.string().describe('ISO time'),
  last_used: z.string().describe('ISO time, to ten minutes'),
  expires: z.string().describe('ISO time; moves on with every use'),
});

export const signedInSchema = z.object({
  token: z
    .string()
    .describe('A token for minutes, or for as long as this run of the service; to be kept in memory only'),
  expires_in: z.number().describe('Seconds until it runs out'),
  session: browserSessionSchema,
});

export const challengeSchema = z.object({
  challenge: z.string().describe('To be signed: "hostler-browser-session-1", the id and this, with line feeds between'),
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
