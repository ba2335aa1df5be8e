import { z } from 'zod';

/** The size of the largest message. */
const resource = z.string().min(1).max(1_000_000);

export const notificationInputSchema = z.object({
  title: z.string().max(1000).describe('First line of the notification'),
  message: z.string().max(10_000).nullish().describe('Text below the title; always shown as plain text'),
  icon: resource.nullish().describe('Name in the icon theme, data URL of a picture, or a path in a known directory'),
  image: resource.nullish().describe('Larger picture; name, data URL or path as for the icon'),
  urgency: z
    .enum(['low', 'normal', 'critical'])
    .nullish()
    .describe('Urgency; critical notifications stay until they are closed'),
  actions: z
    .array(
      z.object({
        command: z.string().min(1).max(200).describe('Returned when the button is pressed'),
        label: z.string().min(1).max(200).describe('Label of the button'),
        data: z.unknown().optional().describe('Returned together with the command'),
      }),
    )
    .max(10)
    .nullish()
    .describe(
      'Buttons; pressing one sends NOTIFICATION_ACTION to the connection that sent this; on Windows, after a restart, to the other connections of its token',
    ),
  timeout: z
    .number()
    .min(0)
    .max(86_400_000)
    .nullish()
    .describe('Milliseconds on the screen; 0: until it is closed; if omitted, the desktop decides'),
  duration: z.number().min(0).max(86_400_000).nullish().describe('The same as timeout'),
  sound: resource.nullish().describe('Name in the sound theme, data URL of a sound, or a path in a known directory'),
  audio: z
    .object({
      source: resource.describe('As sound'),
      volume: z.number().min(0).max(100).nullish().describe('0-100; 100 unless given'),
    })
    .nullish()
    .describe('A sound with its own volume; takes precedence over sound'),
  actionUrl: z.string().max(8192).nullish().describe('Address that a click opens: http, https or mailto'),
  actionPath: z.string().max(4096).nullish().describe('Path in a known directory that a click opens'),
  replaces: z
    .int()
    .min(1)
    .max(0xffff_ffff)
    .nullish()
    .describe('id of an earlier notification of the same token to replace'),
  wait: z.number().min(0).max(120).nullish().describe('Seconds to wait for a button before answering; default 0'),
});

export type NotificationInput = z.infer<typeof notificationInputSchema>;

export const notificationOutputSchema = z.object({
  id: z.int().describe('Number of the notification, to replace or close it'),
  pressed: z
    .string()
    .nullable()
    .optional()
    .describe('Only if waiting was asked for: the command of the pressed button, `default` for a click, null for none'),
});

export type NotificationOutput = z.infer<typeof notificationOutputSchema>;

export const notificationCloseInputSchema = z.object({
  id: z.int().min(1).max(0xffff_ffff).describe('Number of a notification that was sent with the same token'),
});

export type NotificationCloseInput = z.infer<typeof notificationCloseInputSchema>;

export const notificationCloseOutputSchema = z.object({ id: z.int().describe('Number of the notification') });

export const sendNotificationInputSchema = z.strictObject({
  title: z.string().max(120),
  message: z.string().max(1000).optional(),
  actions: z.array(z.string().min(1).max(40)).max(3).optional().describe('Buttons; waits until one is pressed'),
});

export const sendNotificationOutputSchema = z.object({
  shown: z.boolean(),
  pressed: z.string().nullable().optional().describe('null: no button within 45 s'),
});
