import { z } from 'zod';

/** Bodies and answers of the HTTP interface that name scopes. */
export function createAccessSchemas<S extends string>(scopes: readonly S[]) {
  const scope = z.enum(scopes);

  const actionStateSchema = z.object({
    name: z.string().describe('Name of the action, such as power.lock'),
    description: z.string().describe('What it does'),
    event: z.string().describe('Its event on the WebSocket'),
    route: z.string().describe('Path to POST it to'),
    effect: z
      .enum(['read', 'write', 'disrupt'])
      .describe('read changes nothing, write changes something, disrupt interrupts people who use the machine'),
    scopes: z.array(scope).describe('Any one of these is enough'),
    allowed: z.boolean().describe('Whether the token of this request may use it'),
    available: z.boolean().describe('Whether it would work here now'),
    reason: z.string().nullable().describe('What is missing, and how to get it'),
  });

  const tokenInfoSchema = z.object({
    id: z.string().describe('Identifies the token; not secret'),
    name: z.string().describe('Client it was created for'),
    scopes: z.array(scope).describe('What it may do'),
    kind: z
      .enum(['general', 'agent', 'oauth'])
      .describe('agent: works at /api/mcp only; oauth: the same, given by OAuth'),
    created: z.string().nullable().describe('ISO time; null for the first token'),
    expires: z.string().optional().describe('With oauth: ISO time when it ends unless the agent refreshes it'),
  });

  const usedTokenSchema = tokenInfoSchema.extend({
    last_used: z.string().nullable().describe('When it was last used, ISO time; null: no use recorded'),
    last_address: z.string().nullable().describe('The address it was used from then'),
  });

  const connectedClientSchema = z.object({
    token: z.string().describe('Name of the token it came with, or of the one its browser signed in with'),
    scopes: z.array(scope).describe('What it may do'),
    address: z.string().describe('Where it comes from'),
    software: z.string().nullable().describe('What it calls itself; not to be trusted'),
    through: z.string().describe('How it is connected: websocket or mcp'),
    since: z.string().describe('ISO time'),
  });

  const newTokenSchema = z.object({
    name: z.string().min(1).max(64).describe('Client it is for; unique'),
    scopes: z.array(scope).min(1).max(scopes.length).describe('What it may do; at most what the caller may do'),
  });

  const createdTokenSchema = tokenInfoSchema.extend({ token: z.string().describe('The secret; shown here only') });

  const browserSessionSchema = z.object({
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

  const signedInSchema = z.object({
    token: z
      .string()
      .describe('A token for minutes, or for as long as this run of the service; to be kept in memory only'),
    expires_in: z.number().describe('Seconds until it runs out'),
    session: browserSessionSchema,
  });

  return {
    actionStateSchema,
    tokenInfoSchema,
    usedTokenSchema,
    connectedClientSchema,
    newTokenSchema,
    createdTokenSchema,
    browserSessionSchema,
    signedInSchema,
  };
}
