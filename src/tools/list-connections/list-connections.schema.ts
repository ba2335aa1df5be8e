import { z } from 'zod';
import { whyNullSchema } from '../why-null.schema.ts';

export const listConnectionsInputSchema = z.strictObject({
  status: z.string().max(32).optional().describe('LISTEN, ESTABLISHED, ... UDP has NONE'),
  port: z.int().min(0).max(65_535).optional().describe('Local or remote'),
  pid: z.int().min(0).optional(),
  limit: z.int().min(1).max(100).default(20),
  cursor: z.string().max(64).optional(),
});

export type ListConnectionsInput = z.infer<typeof listConnectionsInputSchema>;

export const listConnectionsOutputSchema = z.object({
  total: z.int().describe('All sockets'),
  matched: z.int().describe('Sockets that match the filters'),
  connections: z.array(
    z.object({
      protocol: z.enum(['tcp', 'udp']),
      local: z.string().describe('address:port'),
      remote: z.string().nullable(),
      status: z.string(),
      pid: z.int().nullable(),
      process: z.string().nullable().describe('Its name'),
    }),
  ),
  next_cursor: z.string().optional().describe('Pass it as cursor, with the same arguments, for more'),
  why_null: whyNullSchema,
});

export type ListConnectionsOutput = z.infer<typeof listConnectionsOutputSchema>;
