import { z } from 'zod';

export const getInputSchema = z.object({});

export const locksSchema = z.object({
  file: z.string().nullable().describe('The file of the administrator; null: nothing is locked'),
  keys: z.array(z.string()).describe('Settings that cannot be changed, such as mcp.mode'),
});

/** Every key is optional; values are checked when they are merged. */
export const patchSchema = z
  .record(z.string(), z.unknown())
  .describe('All or some of the settings; objects are merged, lists are replaced');
