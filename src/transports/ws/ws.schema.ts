import { z } from 'zod';

/** A client's message. envelope.ts checks the same by hand. */
export const requestSchema = z.object({
  token: z.string().min(1).describe('A token; every message carries it'),
  id: z
    .string()
    .max(1024)
    .nullish()
    .describe('Comes back in every message about this request. It may repeat, and is empty where it is left out'),
  event: z.string().min(1).describe('What is asked for'),
  data: z.record(z.string(), z.unknown()).nullish().describe('Data of the event; unknown keys are dropped'),
});

/** A message of the service; there are no other keys. */
export const messageSchema = z.strictObject({
  id: z.string().describe('id of the request; "system" in updates'),
  type: z.string().describe('What this message is'),
  subtype: z.string().describe('NONE, or the code of an error'),
  data: z.unknown().describe('Always present; null if there is nothing to report'),
  message: z.string().optional().describe('A sentence, where there is one'),
  module: z.string().optional().describe('In updates: the name of the module as it was asked for'),
});

export const modulesSchema = z.object({
  modules: z.array(z.string()).max(100).describe('Names of modules'),
});

/** What every event that only reads takes as well. */
export const selectionSchema = z.object({
  fields: z.array(z.string()).max(100).nullish().describe('Only these fields, with dots for those inside others'),
  sort: z
    .string()
    .nullish()
    .describe(
      'A field: the innermost list on the way to it is sorted by it, before limit; with - in front, the highest first',
    ),
  limit: z
    .int()
    .min(1)
    .nullish()
    .describe('At most so many entries of every list; texts and numbers within an entry stay complete'),
});

export const getDataSchema = modulesSchema.extend(selectionSchema.shape);

const intervalSchema = z.number().min(250).max(86_400_000);

/** data-events.ts checks the same by hand. */
export const listenSchema = modulesSchema.extend({
  interval: z
    .union([intervalSchema, z.record(z.string(), intervalSchema)])
    .nullish()
    .describe(
      'Milliseconds between two updates, for all modules or by module; rounded up to a multiple of 250, above 5 s more coarsely. Left out: as modules.<name>.interval in the settings, otherwise 15 s, or longer for modules that announce their changes',
    ),
});

/** In the data of an error. */
export const errorDataSchema = z
  .object({
    retryAfterSeconds: z.number().optional().describe('Try again after this time'),
    unknownModules: z.array(z.string()).optional().describe('Names in REGISTER_DATA_LISTENER that are no modules'),
  })
  .nullable();
