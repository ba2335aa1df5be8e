import { isTrue, listOf, numberOf, objectOf, textOf } from './values.ts';

/** State of the application, with its names and units: volumes are amplitudes. */
export interface ChatFacts {
  user: ChatUser;
  voice: VoiceSettings;
  call: VoiceCall | null;
}

export interface ChatUser {
  id: string;
  username: string;
  global_name: string | null;
  /** Hash of the picture. */
  avatar: string | null;
}

export interface VoiceSettings {
  mute: boolean;
  deaf: boolean;
  input: AudioSettings;
  output: AudioSettings;
  mode: { type: 'VOICE_ACTIVITY' | 'PUSH_TO_TALK'; auto_threshold: boolean; threshold: number; delay: number };
  noise_suppression: boolean;
  echo_cancellation: boolean;
  automatic_gain_control: boolean;
  qos: boolean;
  silence_warning: boolean;
}

export interface AudioSettings {
  volume: number;
  device_id: string;
  devices: { id: string; name: string }[];
}

export interface VoiceChannel {
  id: string;
  name: string | null;
  type: ChannelType;
  bitrate: number | null;
  user_limit: number | null;
  guild_id: string | null;
}

export type ChannelType = 'DM' | 'GUILD_VOICE' | 'GROUP_DM' | 'GUILD_STAGE_VOICE';

export interface Guild {
  id: string;
  name: string;
  /** Hash of the icon. */
  icon: string | null;
}

export interface VoiceConnection {
  state: string;
  last_ping: number | null;
  average_ping: number | null;
}

export interface VoiceCall {
  channel: VoiceChannel;
  guild: Guild | null;
  connection: VoiceConnection | null;
  members: Map<string, VoiceMember>;
  /** The speaking users; the application reports them separately. */
  speaking: Set<string>;
}

export interface VoiceMember {
  user: ChatUser;
  nick: string | null;
  server_mute: boolean;
  server_deaf: boolean;
  self_mute: boolean;
  self_deaf: boolean;
  suppress: boolean;
  local_mute: boolean;
  volume: number;
}

/** Throws when there is no account in it. */
export function parseUser(value: unknown): ChatUser {
  const { id, username, global_name, avatar } = objectOf(value);
  const known = textOf(id);
  if (known === null) throw new Error('it sent an account without an id');
  return { id: known, username: textOf(username) ?? '', global_name: textOf(global_name), avatar: textOf(avatar) };
}

export function parseVoiceSettings(value: unknown): VoiceSettings {
  const settings = objectOf(value);
  const mode = objectOf(settings.mode);
  if (numberOf(objectOf(settings.input).volume) === null)
    throw new Error('it answered a request for voice settings without them');
  return {
    mute: isTrue(settings.mute),
    deaf: isTrue(settings.deaf),
    input: parseAudio(settings.input),
    output: parseAudio(settings.output),
    mode: {
      type: mode.type === 'PUSH_TO_TALK' ? 'PUSH_TO_TALK' : 'VOICE_ACTIVITY',
      auto_threshold: isTrue(mode.auto_threshold),
      threshold: Math.min(0, Math.max(-100, numberOf(mode.threshold) ?? -100)),
      delay: Math.max(0, numberOf(mode.delay) ?? 0),
    },
    noise_suppression: isTrue(settings.noise_suppression),
    echo_cancellation: isTrue(settings.echo_cancellation),
    automatic_gain_control: isTrue(settings.automatic_gain_control),
    qos: isTrue(settings.qos),
    silence_warning: isTrue(settings.silence_warning),
  };
}

/** Far above any machine; more is invalid. */
const mostDevices = 256;

function parseAudio(value: unknown): AudioSettings {
  const { volume, device_id, available_devices } = objectOf(value);
  const devices = listOf(available_devices)
    .slice(0, mostDevices)
    .flatMap((entry) => {
      const { id, name } = objectOf(entry);
      return typeof id === 'string' ? [{ id, name: textOf(name) ?? id }] : [];
    });
  return { volume: numberOf(volume) ?? 0, device_id: textOf(device_id) ?? 'default', devices };
}

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const channelTypes = new Map<unknown, ChannelType>([
  [1, 'DM'],
  [2, 'GUILD_VOICE'],
  [3, 'GROUP_DM'],
  [13, 'GUILD_STAGE_VOICE'],
]);

/** Far above any call; more is invalid. */
export const mostMembers = 1000;

/** null: in no channel. A channel of another kind than these four holds no call. */
export function parseCall(value: unknown): VoiceCall | null {
  const channel = objectOf(value);
  const id = textOf(channel.id);
  const type = channelTypes.get(channel.type);
  if (id === null || type === undefined) return null;
  const members = listOf(channel.voice_states)
    .slice(0, mostMembers)
    .flatMap((entry) => parseMember(entry) ?? []);
  return {
    channel: {
      id,
      name: textOf(channel.name),
      type,
      bitrate: numberOf(channel.bitrate),
      user_limit: numberOf(channel.user_limit),
      guild_id: textOf(channel.guild_id),
    },
    guild: null,
    connection: null,
    members: new Map(members.map((member) => [member.user.id, member])),
    speaking: new Set(),
  };
}

export function parseMember(value: unknown): VoiceMember | null {
  const { voice_state, user, nick, mute, volume } = objectOf(value);
  if (textOf(objectOf(user).id) === null) return null;
  const state = objectOf(voice_state);
  return {
    user: parseUser(user),
    nick: textOf(nick),
    server_mute: isTrue(state.mute),
    server_deaf: isTrue(state.deaf),
    self_mute: isTrue(state.self_mute),
    self_deaf: isTrue(state.self_deaf),
    suppress: isTrue(state.suppress),
    local_mute: isTrue(mute),
    volume: numberOf(volume) ?? 100,
  };
}

/** Which of the two the application has depends on its version: the hash, or an address that holds it. */
export function parseGuild(value: unknown): Guild | null {
  const { id, name, icon, icon_url } = objectOf(value);
  const known = textOf(id);
  if (known === null) return null;
  const inAddress = /\/icons\/[^/]+\/([\w-]+)/.exec(textOf(icon_url) ?? '')?.[1] ?? null;
  return { id: known, name: textOf(name) ?? '', icon: textOf(icon) ?? inAddress };
}

export function parseConnection(value: unknown): VoiceConnection | null {
  const { state, last_ping, average_ping } = objectOf(value);
  const known = textOf(state);
  if (known === null) return null;
  return { state: known, last_ping: numberOf(last_ping), average_ping: numberOf(average_ping) };
}
