import { z } from 'zod';

const base = z.string().max(256).describe('Key of a base directory, such as music; files.directories lists them');
const path = z.string().max(8192);

export const noInputSchema = z.object({});

export const directoryInputSchema = z.object({ base });

export const listInputSchema = z.object({
  base,
  path: path.nullish().describe('Directory inside the base; the base itself if omitted'),
});

export const fileInputSchema = z.object({
  base: base.nullish().describe('Key of the base directory; not needed with an absolute path inside any of them'),
  path: path.describe('File inside the base'),
});

export const validateInputSchema = z.object({
  path: path.describe('Absolute, or relative to the home of the user, with or without ~/'),
});

export const directorySchema = z.object({
  key: z.string().describe('Key to use in other requests'),
  name: z.string().describe('Display name'),
  path: z.string().describe('Absolute path'),
});

export const directoriesSchema = z.array(directorySchema).describe('The directories that exist, home first');

export const entrySchema = z.object({
  name: z.string(),
  path: z.string().describe('Absolute, below the path of the base'),
  size: z.number().nonnegative().describe('Bytes'),
  isDirectory: z.boolean(),
  modTime: z.string().describe('Last change of its content, RFC 3339 in UTC'),
  permissions: z.string().describe('As ls -l shows them, such as -rw-r--r--'),
  contentType: z.string().optional().describe('Media type by the extension; absent when none is known'),
  extension: z.string().optional().describe('Including the dot; absent if the name has none'),
});

export const entriesSchema = z
  .array(entrySchema)
  .describe(
    'Sorted by name. A link inside the base is listed as its target; one that leads outside or nowhere is listed as a link',
  );

export const fileSchema = entrySchema.extend({
  modified: z.number().describe('Last change of its content, Unix milliseconds'),
  mime_type: z.string().nullable().describe('Media type by the extension; null when none is known'),
});

export const validSchema = z.object({ valid: z.boolean().describe('Whether it is a directory the service can see') });

export type FileEntry = z.infer<typeof entrySchema>;
export type FileInfo = z.infer<typeof fileSchema>;
