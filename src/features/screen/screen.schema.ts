import { z } from 'zod';

/** Size of a picture before base64. */
export const mostPictureBytes = 16 * 1024 * 1024;
const formats = ['png', 'webp'] as const;

export const screenCaptureInputSchema = z
  .strictObject({
    display: z
      .string()
      .min(1)
      .max(1000)
      .nullish()
      .describe('id of a display, as listed by the module displays; the primary one if omitted'),
    window: z
      .enum(['active'])
      .nullish()
      .describe('active: the window in front instead of a display, as it is seen on the screen; X11 and Windows only'),
    format: z
      .enum(formats)
      .nullish()
      .describe('png, also if omitted, or lossless webp: often less than half as large, and takes longer'),
    max_width: z
      .int()
      .min(16)
      .max(32_767)
      .nullish()
      .describe('Pixels; a wider picture is scaled down to this width, and keeps its proportions'),
  })
  .refine(({ display, window }) => display == null || window == null, 'takes either display or window');

export const screenCaptureOutputSchema = z.object({
  format: z.enum(formats).describe('How the picture is encoded'),
  display: z
    .string()
    .nullable()
    .describe(
      'id of the display; null where it shows a window, or all displays together, as the portals of desktops do',
    ),
  width: z.int().positive().describe('Width of the picture, pixels'),
  height: z.int().positive().describe('Height of the picture, pixels'),
  size: z.int().positive().describe('Size of the picture, bytes'),
  picture: z.string().describe('The picture in base64, at most 16 MiB before that'),
});

export type ScreenCapture = z.infer<typeof screenCaptureOutputSchema>;

export const takeScreenshotInputSchema = z.strictObject({
  display: z.string().max(1000).nullish().describe('id, from the module displays'),
});

export const takeScreenshotOutputSchema = z.object({
  display: z.string().nullable(),
  width: z.int(),
  height: z.int(),
});
