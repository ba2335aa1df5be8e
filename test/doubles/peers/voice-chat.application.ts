import {
  type RPCAuthenticateResultData,
  RPCCommands,
  RPCErrorCodes,
  RPCEvents,
  type RPCGetChannelResultData,
  type RPCGetGuildResultData,
  type RPCGetVoiceSettingsResultData,
  RPCVoiceSettingsModeType,
  type RPCVoiceStateCreateDispatchData,
  type VoiceConnectionStates,
} from 'discord-api-types/rpc/v10';
import { type APIUser, ChannelType, OAuth2Scopes } from 'discord-api-types/v10';
import type { OAuthEndpoint } from './voice-chat.oauth.ts';

/** The application itself: the user, the voice channel, its members, and the permissions of programs. */
export interface Application {
  user: APIUser;
  voice: RPCGetVoiceSettingsResultData;
  channel: VoiceChannel | null;
  /** Channels the user can go to, by id. */
  channels: Map<string, VoiceChannel>;
  guilds: Map<string, RPCGetGuildResultData>;
  subscribers: Set<Subscriber>;
  /** What the user answers to a permission prompt. */
  consent: 'allow' | 'deny' | 'silence' | 'no-voice-scopes';
  /** Another program holds the voice settings. */
  lockedByOther: boolean;
  perform(who: Subscriber, request: Request): Promise<Result>;
  letGo(who: Subscriber): void;
  /** The user changes it in the window of the application. */
  set(patch: Partial<RPCGetVoiceSettingsResultData>): void;
  select(channelId: string | null): void;
  enter(member: VoiceMember): void;
  update(userId: string, patch: Partial<VoiceMember> | { voice_state: Partial<VoiceMember['voice_state']> }): void;
  depart(userId: string): void;
  speak(userId: string, speaks: boolean): void;
  report(state: `${VoiceConnectionStates}`, lastPing: number, averagePing: number): void;
  rename(patch: Partial<APIUser>): void;
}

export type VoiceMember = RPCVoiceStateCreateDispatchData;

/** What GET_SELECTED_VOICE_CHANNEL answers; the package's type of `voice_states` is that of the gateway, the application sends these. */
export interface VoiceChannel extends Omit<RPCGetChannelResultData, 'voice_states' | 'guild_id' | 'name'> {
  guild_id: string | null;
  name: string;
  voice_states: VoiceMember[];
}

export interface Subscriber {
  /** null: the client is not authenticated. */
  scopes: string[] | null;
  /** `EVENT` or `EVENT channel`. */
  subscriptions: Set<string>;
  event(name: string, data: unknown): void;
}

interface Request {
  cmd: string;
  args: Record<string, unknown>;
  evt: string;
}

type Result = { data: unknown; afterwards?: () => void } | { refusal: { code: number; message: string } } | 'silence';

const refuse = (code: RPCErrorCodes, message: string): Result => ({ refusal: { code, message } });

export function createApplication(clientId: string, oauth: OAuthEndpoint): Application {
  const send = (event: string, data: unknown, channel: string | null = null) => {
    const wanted = channel === null ? event : `${event} ${channel}`;
    for (const { subscriptions, event: send } of application.subscribers)
      if (subscriptions.has(wanted)) send(event, data);
  };
  const inChannel = (event: string, data: unknown) => send(event, data, application.channel?.id ?? '');
  const memberOf = (id: string) => application.channel?.voice_states.find(({ user }) => user.id === id);
  let holder: Subscriber | null = null;

  const authorize = async ({ client_id, scopes }: Record<string, unknown>): Promise<Result> => {
    if (client_id !== clientId) return refuse(RPCErrorCodes.InvalidClientId, 'Invalid client id');
    const wanted = Array.isArray(scopes) ? scopes.map(String) : [];
    if (application.consent === 'silence') return 'silence';
    if (application.consent === 'deny')
      return refuse(RPCErrorCodes.OAuth2Error, 'OAuth2 Error: access_denied: The resource owner denied the request');
    if (application.consent === 'no-voice-scopes' && wanted.some((scope) => scope.startsWith('rpc.voice')))
      return refuse(RPCErrorCodes.OAuth2Error, 'OAuth2 Error: invalid_scope: The requested scope is invalid');
    return { data: { code: oauth.issueCode(wanted) } };
  };

  const authenticate = (who: Subscriber, { access_token }: Record<string, unknown>): Result => {
    const token = String(access_token);
    const scopes = oauth.scopesOf(token);
    // It quotes its input, as badly behaved programs do.
    if (scopes === null) return refuse(RPCErrorCodes.InvalidToken, `Invalid OAuth2 token: ${token}`);
    who.scopes = scopes;
    const known = Object.values(OAuth2Scopes).filter((scope) => scopes.includes(scope));
    const data: RPCAuthenticateResultData = {
      user: application.user,
      scopes: known,
      expires: new Date(Date.now() + oauth.lifetimeSeconds * 1000).toISOString(),
      application: { id: clientId, name: 'Test', icon: '', description: '', rpc_origins: [] },
    };
    return { data };
  };

  const setVoice = (who: Subscriber, args: Record<string, unknown>): Result => {
    if (application.lockedByOther || (holder !== null && holder !== who))
      return refuse(RPCErrorCodes.InvalidCommand, 'Voice settings are locked by another application');
    const problem = invalidSettings(application.voice, args);
    if (problem !== null) return refuse(RPCErrorCodes.InvalidPayload, problem);
    holder = who;
    application.set(args);
    return { data: application.voice };
  };

  const setUser = (args: Record<string, unknown>): Result => {
    const { user_id, volume, mute } = args;
    const member = memberOf(String(user_id));
    if (member === undefined || user_id === application.user.id)
      return refuse(RPCErrorCodes.InvalidUser, `Invalid user id: ${String(user_id)}`);
    if (volume !== undefined && !isWithin(volume, 0, 200))
      return refuse(RPCErrorCodes.InvalidPayload, 'child "volume" fails');
    application.update(member.user.id, {
      ...(typeof volume === 'number' ? { volume } : {}),
      ...(typeof mute === 'boolean' ? { mute } : {}),
    });
    return { data: { user_id, volume: member.volume, mute: member.mute, pan: member.pan } };
  };

  const selectVoice = ({ channel_id, force }: Record<string, unknown>): Result => {
    if (channel_id === null) {
      application.select(null);
      return { data: null };
    }
    const channel = application.channels.get(String(channel_id));
    if (channel === undefined) return refuse(RPCErrorCodes.InvalidChannel, 'Invalid channel id');
    if (application.channel !== null && application.channel !== channel && force !== true)
      return refuse(RPCErrorCodes.SelectVoiceForceRequired, 'User is already joined to a voice channel.');
    application.select(channel.id);
    return { data: channel };
  };

  const subscription = ({ args, evt }: Request): string => {
    const { channel_id } = args;
    return channelEvents.has(evt) ? `${evt} ${String(channel_id)}` : evt;
  };

  const commands: Record<string, (who: Subscriber, request: Request) => Result | Promise<Result>> = {
    [RPCCommands.Authorize]: (_who, { args }) => authorize(args),
    [RPCCommands.Authenticate]: (who, { args }) => authenticate(who, args),
    [RPCCommands.Subscribe](who, request) {
      const { evt, args } = request;
      if (!events.has(evt) && !channelEvents.has(evt))
        return refuse(RPCErrorCodes.InvalidEvent, `Invalid event: ${evt}`);
      if (channelEvents.has(evt) && !application.channels.has(String(args.channel_id)))
        return refuse(RPCErrorCodes.InvalidChannel, 'Invalid channel id');
      who.subscriptions.add(subscription(request));
      return { data: { evt } };
    },
    [RPCCommands.Unsubscribe](who, request) {
      who.subscriptions.delete(subscription(request));
      return { data: { evt: request.evt } };
    },
    [RPCCommands.GetVoiceSettings]: () => ({ data: application.voice }),
    [RPCCommands.SetVoiceSettings]: (who, { args }) => setVoice(who, args),
    [RPCCommands.SetUserVoiceSettings]: (_who, { args }) => setUser(args),
    [RPCCommands.GetSelectedVoiceChannel]: () => ({ data: application.channel }),
    [RPCCommands.SelectVoiceChannel]: (_who, { args }) => selectVoice(args),
    [RPCCommands.SelectTextChannel]: (_who, { args }) =>
      application.channels.has(String(args.channel_id))
        ? { data: application.channels.get(String(args.channel_id)) }
        : refuse(RPCErrorCodes.InvalidChannel, 'Invalid channel id'),
    [RPCCommands.GetGuild](_who, { args }) {
      const guild = application.guilds.get(String(args.guild_id));
      return guild === undefined ? refuse(RPCErrorCodes.InvalidGuild, 'Invalid guild id') : { data: guild };
    },
  };

  const application: Application = {
    user: testUser('80351110224678912', 'nelly', { global_name: 'Nelly', avatar: '8342729096ea3675442027381ff50dfe' }),
    voice: structuredClone(initialVoice),
    channel: null,
    channels: new Map(),
    guilds: new Map(),
    subscribers: new Set(),
    consent: 'allow',
    lockedByOther: false,
    async perform(who, request) {
      const handle = Object.hasOwn(commands, request.cmd) ? commands[request.cmd] : undefined;
      if (handle === undefined) return refuse(RPCErrorCodes.InvalidCommand, `Invalid command: ${request.cmd}`);
      const needed = scopesFor(request.cmd);
      if (needed !== null && !needed.some((scope) => who.scopes?.includes(scope)))
        return refuse(RPCErrorCodes.InvalidPermissions, 'Not authenticated or invalid scope');
      return await handle(who, request);
    },
    letGo(who) {
      if (holder === who) holder = null;
    },
    set(patch) {
      const { voice } = application;
      application.voice = {
        ...voice,
        ...patch,
        input: { ...voice.input, ...patch.input },
        output: { ...voice.output, ...patch.output },
        mode: { ...voice.mode, ...patch.mode },
      };
      send(RPCEvents.VoiceSettingsUpdate, application.voice);
    },
    select(channelId) {
      const { user } = application;
      const before = application.channel;
      if (before !== null) {
        before.voice_states = before.voice_states.filter((member) => member.user.id !== user.id);
      }
      application.channel = channelId === null ? null : (application.channels.get(channelId) ?? null);
      if (application.channel !== null && memberOf(user.id) === undefined)
        application.channel.voice_states.push(testMember(user));
      send(RPCEvents.VoiceChannelSelect, { channel_id: channelId, guild_id: application.channel?.guild_id ?? null });
    },
    enter(member) {
      application.channel?.voice_states.push(member);
      inChannel(RPCEvents.VoiceStateCreate, member);
    },
    update(userId, patch) {
      const member = memberOf(userId);
      if (member === undefined) throw new Error(`${userId} is not in the call`);
      const state = { ...member.voice_state, ...patch.voice_state };
      Object.assign(member, patch, { voice_state: state });
      inChannel(RPCEvents.VoiceStateUpdate, member);
    },
    depart(userId) {
      const member = memberOf(userId);
      if (member === undefined || application.channel === null) throw new Error(`${userId} is not in the call`);
      application.channel.voice_states = application.channel.voice_states.filter((other) => other !== member);
      inChannel(RPCEvents.VoiceStateDelete, member);
    },
    speak(userId, speaks) {
      const data = { user_id: userId, channel_id: application.channel?.id ?? '' };
      inChannel(speaks ? RPCEvents.SpeakingStart : RPCEvents.SpeakingStop, data);
    },
    report(state, lastPing, averagePing) {
      const pings = [{ time: Date.now(), value: lastPing }];
      const data = { state, hostname: 'voice.test', pings, last_ping: lastPing, average_ping: averagePing };
      send(RPCEvents.VoiceConnectionStatus, data);
    },
    rename(patch) {
      application.user = { ...application.user, ...patch };
      send(RPCEvents.CurrentUserUpdate, application.user);
    },
  };
  return application;
}

const events = new Set<string>([
  RPCEvents.VoiceSettingsUpdate,
  RPCEvents.CurrentUserUpdate,
  RPCEvents.VoiceChannelSelect,
  RPCEvents.VoiceConnectionStatus,
]);
const channelEvents = new Set<string>([
  RPCEvents.VoiceStateCreate,
  RPCEvents.VoiceStateUpdate,
  RPCEvents.VoiceStateDelete,
  RPCEvents.SpeakingStart,
  RPCEvents.SpeakingStop,
]);

/** Any of these is sufficient; null: none is needed. */
function scopesFor(cmd: string): string[] | null {
  if (cmd === RPCCommands.Authorize || cmd === RPCCommands.Authenticate) return null;
  if (cmd === RPCCommands.SetVoiceSettings || cmd === RPCCommands.SetUserVoiceSettings)
    return [OAuth2Scopes.RPC, OAuth2Scopes.RPCVoiceWrite];
  if (cmd === RPCCommands.GetVoiceSettings) return [OAuth2Scopes.RPC, OAuth2Scopes.RPCVoiceRead];
  return [OAuth2Scopes.RPC];
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && value >= least && value <= most;
}

/** As the application validates them: unknown keys and values out of range are refused as a whole. */
function invalidSettings(voice: RPCGetVoiceSettingsResultData, args: Record<string, unknown>): string | null {
  const wrong = (name: string) => `child "${name}" fails`;
  for (const side of ['input', 'output'] as const) {
    const given: unknown = args[side];
    if (given === undefined) continue;
    const { device_id, volume } = Object(given);
    const known = voice[side].available_devices.some(({ id }) => id === device_id);
    if (device_id !== undefined && !known) return wrong(`${side}.device_id`);
    if (volume !== undefined && !isWithin(volume, 0, side === 'input' ? 100 : 200)) return wrong(`${side}.volume`);
  }
  const { type, threshold, delay } = Object(args.mode ?? {});
  const types: string[] = Object.values(RPCVoiceSettingsModeType);
  if (type !== undefined && !types.includes(type)) return wrong('mode.type');
  if (threshold !== undefined && !isWithin(threshold, -100, 0)) return wrong('mode.threshold');
  if (delay !== undefined && !isWithin(delay, 0, 2000)) return wrong('mode.delay');
  const flags = Object.entries(args).filter(([key]) => !['input', 'output', 'mode'].includes(key));
  return flags.every(([key, value]) => key in voice && typeof value === 'boolean') ? null : wrong('settings');
}

export function testUser(id: string, username: string, given: Partial<APIUser> = {}): APIUser {
  return { id, username, discriminator: '0', global_name: null, avatar: null, ...given };
}

export function testMember(user: APIUser, given: Partial<VoiceMember> = {}): VoiceMember {
  return {
    user,
    nick: user.username,
    mute: false,
    volume: 100,
    pan: { left: 1, right: 1 },
    voice_state: { mute: false, deaf: false, self_mute: false, self_deaf: false, suppress: false },
    ...given,
  };
}

export function testChannel(id: string, given: Partial<VoiceChannel> = {}): VoiceChannel {
  return {
    id,
    guild_id: '41771983423143937',
    name: 'General',
    type: ChannelType.GuildVoice,
    bitrate: 64_000,
    user_limit: 0,
    position: 0,
    voice_states: [],
    ...given,
  };
}

const devices = [
  { id: 'default', name: 'Default' },
  { id: 'alsa-1', name: 'Headset' },
];

const initialVoice: RPCGetVoiceSettingsResultData = {
  input: { device_id: 'default', volume: 100, available_devices: devices },
  output: { device_id: 'default', volume: 100, available_devices: devices },
  mode: {
    type: RPCVoiceSettingsModeType.VoiceActivity,
    auto_threshold: true,
    threshold: -60,
    shortcut: { type: 0, code: 0, name: '' },
    delay: 20,
  },
  automatic_gain_control: true,
  echo_cancellation: true,
  noise_suppression: false,
  qos: false,
  silence_warning: true,
  deaf: false,
  mute: false,
};
