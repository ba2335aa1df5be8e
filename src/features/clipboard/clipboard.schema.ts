import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const clipboardContentSchema = z.object({
  kind: z
    .enum(['text', 'image', 'other', 'empty', 'secret'])
    .nullable()
    .describe(
      'What it is: text, a picture, something else, nothing, or something that a password manager has marked, for which no details are given',
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

export const mostTextBytes = 1024 * 1024;
export const mostPngBytes = 8 * 1024 * 1024;
const base64Length = (bytes: number) => 4 * Math.ceil(bytes / 3);

const format = z.enum(['text', 'png']);

export const clipboardGetInputSchema = z.object({
  format: format.nullish().describe('What is wanted; left out: text, or the picture where there is no text'),
});

export const clipboardGetOutputSchema = z.object({
  format: format.describe('What was found'),
  text: z.string().nullable().describe('The text, at most 1 MiB as UTF-8; null where it is a picture'),
  png: z.string().nullable().describe('The picture as PNG in base64, at most 8 MiB before that; null where it is text'),
  size: z.int().nonnegative().describe('Size of it on the clipboard, bytes'),
});

export type ClipboardContent = z.infer<typeof clipboardGetOutputSchema>;

export const clipboardSetInputSchema = z
  .object({
    text: z
      .string()
      .max(mostTextBytes)
      .refine((text) => Buffer.byteLength(text) <= mostTextBytes, 'has more than 1 MiB as UTF-8')
      .nullish()
      .describe('The text, at most 1 MiB as UTF-8'),
    png: z
      .string()
      .max(base64Length(mostPngBytes))
      .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64')
      .nullish()
      .describe('A picture as PNG in base64, at most 8 MiB before that'),
  })
  .refine(({ text, png }) => (text == null) !== (png == null), 'needs either text or png');

export type ClipboardSetInput = z.infer<typeof clipboardSetInputSchema>;

export const clipboardSetOutputSchema = z.object({
  format: format.describe('What was put onto the clipboard'),
  size: z.int().nonnegative().describe('Its size, bytes'),
});
