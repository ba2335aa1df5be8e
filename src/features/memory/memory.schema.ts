import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const bytes = (meaning: string) =>
  z.number().nonnegative().nullable().describe(`${meaning}, bytes`).meta(unit('bytes'));
const percent = (meaning: string) =>
  z.number().min(0).max(100).nullable().describe(`${meaning}, 0-100`).meta(unit('percent'));

export const memorySchema = z.object({
  virtual: z
    .object({
      total: bytes('Physical memory'),
      available: bytes('Available to programs without swapping'),
      percent: percent('Share that is not available'),
      used: bytes('Total minus available'),
      free: bytes('Not used for anything, not even as cache'),
      active: bytes('Used recently'),
      inactive: bytes('Not used recently'),
      buffers: bytes('Cache of raw block devices'),
      cached: bytes('File cache, including reclaimable kernel memory and the ZFS cache'),
      wired: bytes('Never swapped out; macOS only'),
      shared: bytes('Shared memory and temporary file systems'),
    })
    .describe('Physical memory'),
  swap: z
    .object({
      total: bytes('Swap space'),
      used: bytes('Swap space in use'),
      free: bytes('Swap space not in use'),
      percent: percent('Share of the swap space in use'),
      sin: bytes('Read back from swap since boot'),
      sout: bytes('Written to swap since boot'),
    })
    .describe('Swap space'),
});

export type Memory = z.infer<typeof memorySchema>;
