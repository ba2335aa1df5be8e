import { z } from 'zod';
import { unit } from '../../core/unit.schema.ts';

const userSchema = z.object({
  id: z.string().describe('Account id'),
  username: z.string().describe('Account name'),
  global_name: z.string().nullable().describe('Display name'),
  avatar_url: z.string().nullable().describe('Address of the avatar; the service never fetches it'),
});

const memberSchema = z.object({
  user: userSchema.describe('Account'),
  nick: z.string().nullable().describe('Name in the call'),
  server_mute: z.boolean().describe('Muted by a moderator'),
  server_deaf: z.boolean().describe('Deafened by a moderator'),
  self_mute: z.boolean().describe('Muted their own microphone'),
  self_deaf: z.boolean().describe('Deafened themselves'),
  suppress: z.boolean().describe('Cannot talk, such as in an AFK channel or as a stage listener'),
  speaking: z.boolean().describe('Whether they are speaking'),
  local_mute: z.boolean().nullable().describe("Muted locally by the user; null for the user's own entry"),
  volume: z
    .number()
    .min(0)
    .max(200)
    .nullable()
    .describe("Volume set by the user, 0-200; null for the user's own entry")
    .meta(unit('percent')),
});

const callSchema = z.object({
  channel: z
    .object({
      id: z.string().describe('Channel id'),
      name: z.string().nullable().describe('Channel name'),
      type: z.enum(['GUILD_VOICE', 'GUILD_STAGE_VOICE', 'DM', 'GROUP_DM']).describe('Kind of channel'),
      bitrate: z.number().nullable().describe('Bits per second').meta(unit('bits_per_second')),
      user_limit: z.number().nullable().describe('Most users allowed; 0: no limit'),
    })
    .describe('The voice channel'),
  server: z
    .object({
      id: z.string().describe('Server id'),
      name: z.string().describe('Server name'),
      icon_url: z.string().nullable().describe('Address of the icon; the service never fetches it'),
    })
    .nullable()
    .describe('The server; null for direct-message calls'),
  connection: z
    .object({
      state: z.string().describe('Such as VOICE_CONNECTED, CONNECTING, NO_ROUTE'),
      last_ping: z.number().nullable().describe('Last round trip, milliseconds').meta(unit('milliseconds')),
      average_ping: z.number().nullable().describe('Average round trip, milliseconds').meta(unit('milliseconds')),
    })
    .nullable()
    .describe('The voice connection; null until reported'),
  me: memberSchema.nullable().describe("The user's own entry in members"),
  members: z.array(memberSchema).describe('Everyone in the call, including the user'),
});

const audioSchema = (most: number) =>
  z.object({
    volume: z.number().min(0).max(most).describe(`Volume, 0-${most}`).meta(unit('percent')),
    device_id: z.string().describe('Selected device; "default" follows the system'),
    devices: z
      .array(z.object({ id: z.string().describe('Device id'), name: z.string().describe('Device name') }))
      .describe('Available devices'),
  });

export const chatSchema = z.object({
  connected: z.boolean().describe('Whether the service is connected to the application'),
  authenticated: z.boolean().describe('Whether the application accepted the authorization'),
  user: userSchema.nullable().describe('Account of the user'),
  call: callSchema.nullable().describe('The voice channel the user is in; null: none'),
  mute: z.boolean().nullable().describe('Whether the user is muted'),
  deaf: z.boolean().nullable().describe('Whether the user is deafened'),
  input: audioSchema(100).nullable().describe('Microphone'),
  output: audioSchema(200).nullable().describe('Output'),
  mode: z
    .object({
      type: z.enum(['VOICE_ACTIVITY', 'PUSH_TO_TALK']).describe('How speaking is detected'),
      auto_threshold: z.boolean().describe('Whether the application sets the sensitivity'),
      threshold: z.number().min(-100).max(0).describe('Voice-activity sensitivity, dB').meta(unit('decibels')),
      delay: z.number().nonnegative().describe('Push-to-talk release delay, milliseconds').meta(unit('milliseconds')),
    })
    .nullable()
    .describe('Voice mode'),
  processing: z
    .object({
      noise_suppression: z.boolean().describe('Noise suppression'),
      echo_cancellation: z.boolean().describe('Echo cancellation'),
      automatic_gain_control: z.boolean().describe('Automatic gain control'),
    })
    .nullable()
    .describe('Voice processing'),
  qos: z.boolean().nullable().describe('Whether voice packets get priority'),
  silence_warning: z.boolean().nullable().describe('Whether the application warns about a silent microphone'),
});

export type Chat = z.infer<typeof chatSchema>;

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
