import type {
  AudioSettings,
  ChatFacts,
  ChatUser,
  Guild,
  VoiceCall,
  VoiceMember,
} from '@hostler/discord-rpc/voice-state.ts';
import { sliderOf } from '@hostler/discord-rpc/volume.ts';
import type { Chat } from './chat.schema.ts';

type Payload<Field extends keyof Chat> = NonNullable<Chat[Field]>;
type CallMember = Payload<'call'>['members'][number];

/** The state of the application in the units of the payload: slider values instead of amplitudes, URLs instead of hashes. */
export function chatPayloadOf({ user, voice, call }: ChatFacts): Chat {
  return {
    connected: true,
    authenticated: true,
    user: userOf(user),
    call: call === null ? null : callOf(call, user.id),
    // Deafening also mutes, but the application's settings do not show it.
    mute: voice.mute || voice.deaf,
    deaf: voice.deaf,
    input: audioOf(voice.input, 100),
    output: audioOf(voice.output, 200),
    mode: voice.mode,
    processing: {
      noise_suppression: voice.noise_suppression,
      echo_cancellation: voice.echo_cancellation,
      automatic_gain_control: voice.automatic_gain_control,
    },
    qos: voice.qos,
    silence_warning: voice.silence_warning,
  };
}

function callOf({ channel, guild, connection, members, speaking }: VoiceCall, ownId: string): Payload<'call'> {
  const { id, name, type, bitrate, user_limit } = channel;
  const all = [...members.values()].map((member) => memberOf(member, ownId, speaking));
  return {
    channel: { id, name, type, bitrate, user_limit },
    server: guild === null ? null : serverOf(guild),
    connection,
    me: all.find(({ user }) => user.id === ownId) ?? null,
    members: all,
  };
}

function memberOf(member: VoiceMember, ownId: string, speaking: Set<string>): CallMember {
  const { user, nick, server_mute, server_deaf, self_mute, self_deaf, suppress, local_mute, volume } = member;
  const isMe = user.id === ownId;
  return {
    user: userOf(user),
    nick,
    server_mute,
    server_deaf,
    self_mute,
    self_deaf,
    suppress,
    speaking: speaking.has(user.id),
    local_mute: isMe ? null : local_mute,
    volume: isMe ? null : sliderOf(volume, 200),
  };
}

const images = 'https://cdn.discordapp.com';

function userOf({ id, username, global_name, avatar }: ChatUser): Payload<'user'> {
  const avatar_url = avatar === null ? null : `${images}/avatars/${id}/${avatar}.png`;
  return { id, username, global_name, avatar_url };
}

function serverOf({ id, name, icon }: Guild): NonNullable<Payload<'call'>['server']> {
  return { id, name, icon_url: icon === null ? null : `${images}/icons/${id}/${icon}.png` };
}

function audioOf({ volume, device_id, devices }: AudioSettings, most: 100 | 200): Payload<'input'> {
  return { volume: sliderOf(volume, most), device_id, devices };
}
