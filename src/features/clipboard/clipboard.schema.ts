import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

/** Of a text that was copied so much is told, bytes as UTF-8. */
export const mostFollowedBytes = 64 * 1024;

export const clipboardContentSchema = z.object({
  kind: z
    .enum(['text', 'image', 'other', 'empty', 'secret'])
    .nullable()
    .describe(
      'What it is: text, a picture, something else, nothing, or something that a password manager has marked, about which nothing more is said',
    ),
  text: z.string().nullable().describe('The text, or how it begins: its first 64 KiB as UTF-8'),
  truncated: z.boolean().describe('Whether there is more of the text than that; clipboard.get reads up to 1 MiB'),
  types: z.array(z.string()).describe('Which of the well-known media types it can be had in, such as text/html'),
  size: z.int().nonnegative().nullable().describe('Size of the text, bytes as UTF-8').meta(unit('bytes')),
  changed_at: z.int().nonnegative().nullable().describe('When it was copied, Unix seconds').meta(unit('unix_seconds')),
});

export const clipboardSchema = z.object({
  content: clipboardContentSchema
    .nullable()
    .describe('What is on the clipboard. Only for tokens with the scope clipboard, and only while one of them listens'),
});

export type FollowedClipboard = z.infer<typeof clipboardSchema>;
