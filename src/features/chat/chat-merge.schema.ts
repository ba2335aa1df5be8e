import { z } from 'zod';

export const chatActions = [
  'JOIN_VOICE_CHANNEL',
  'LEAVE_VOICE_CHANNEL',
  'OPEN_TEXT_CHANNEL',
  'MUTE',
  'UNMUTE',
  'TOGGLE_MUTE',
  'DEAFEN',
  'UNDEAFEN',
  'TOGGLE_DEAFEN',
  'SET_INPUT_VOLUME',
  'SET_OUTPUT_VOLUME',
  'SET_INPUT_DEVICE',
  'SET_OUTPUT_DEVICE',
  'SET_VOICE_MODE',
  'SET_VOICE_THRESHOLD',
  'SET_PUSH_TO_TALK_DELAY',
  'ENABLE_QOS',
  'DISABLE_QOS',
  'TOGGLE_QOS',
  'ENABLE_SILENCE_WARNING',
  'DISABLE_SILENCE_WARNING',
  'TOGGLE_SILENCE_WARNING',
  'SET_USER_VOLUME',
  'MUTE_USER',
  'UNMUTE_USER',
] as const;

export type ChatAction = (typeof chatActions)[number];

const id = z.string().min(1).max(64);

export const chatControlInputSchema = z.object({
  // A text, so that one that is none of these has an error of its own, which clients know.
  action: z.string().max(64).meta({ enum: chatActions }).describe('What to do'),
  channel_id: id.nullish().describe('For JOIN_VOICE_CHANNEL and OPEN_TEXT_CHANNEL'),
  value: z
    .number()
    .nullish()
    .describe('Input volume 0-100; output and user volume 0-200; threshold -100 to 0 dB; delay 0-2000 ms'),
  device_id: z.string().min(1).max(512).nullish().describe('A device listed by the module chat'),
  mode: z.string().max(32).nullish().describe('VOICE_ACTIVITY or PUSH_TO_TALK'),
  user_id: id.nullish().describe('For SET_USER_VOLUME, MUTE_USER and UNMUTE_USER'),
});

export type ChatControlInput = z.infer<typeof chatControlInputSchema>;

export const chatControlOutputSchema = z.object({
  action: z.string().describe('What was done'),
  mute: z.boolean().describe('Whether the user is muted now'),
  deaf: z.boolean().describe('Whether the user is deafened now'),
  channel_id: z.string().nullable().describe('The voice channel the user is in now; null: none'),
});

export type ChatControlOutput = z.infer<typeof chatControlOutputSchema>;
