import { type Rpc, RpcRefusal, RpcSilence } from './rpc.ts';
import { objectOf, textOf } from './values.ts';
import {
  type ChatUser,
  type Guild,
  mostMembers,
  parseCall,
  parseGuild,
  parseMember,
  type VoiceCall,
} from './voice-state.ts';

/** The call the user is in: read whenever another channel is selected, and updated by events in between. */
export interface FollowedCall {
  current(): VoiceCall | null;
  /** Reads it again; resolves when the known call is the last selected one. */
  read(): Promise<void>;
  /** The user left the call. */
  end(): void;
  join(data: unknown): void;
  leave(data: unknown): void;
  speak(data: unknown, speaks: boolean): void;
  rename(user: ChatUser): void;
}

const events = ['VOICE_STATE_CREATE', 'VOICE_STATE_UPDATE', 'VOICE_STATE_DELETE', 'SPEAKING_START', 'SPEAKING_STOP'];
/** A deleted channel can be neither followed nor left. */
const invalidChannel = 4005;
const mostRounds = 10;

export function followCall(rpc: Rpc): FollowedCall {
  const guilds = new Map<string, Guild>();
  const speaking = new Set<string>();
  let call: VoiceCall | null = null;
  /** The channel with active event subscriptions. */
  let followed: string | null = null;
  let reading: Promise<void> | null = null;
  let stale = false;

  const subscribe = (cmd: 'SUBSCRIBE' | 'UNSUBSCRIBE', channel: string) =>
    Promise.all(
      events.map((evt) =>
        rpc
          .request({ cmd, evt, args: { channel_id: channel } }, () => {})
          .catch((error) => {
            const isGone = error instanceof RpcRefusal && (cmd === 'UNSUBSCRIBE' || error.code === invalidChannel);
            if (!isGone) throw error;
          }),
      ),
    );

  /** Unsubscribe before reading: events of the old channel must not be attributed to the new one. */
  const follow = async (channel: string | null) => {
    const before = followed;
    followed = null;
    if (before !== null) await subscribe('UNSUBSCRIBE', before);
    speaking.clear();
    followed = channel;
    if (channel !== null) await subscribe('SUBSCRIBE', channel);
  };

  /** Valid only if the events of that channel are subscribed already; they report later changes. */
  const takeChannel = (data: unknown): string | null => {
    const parsed = parseCall(data);
    const id = parsed?.channel.id ?? null;
    if (id === followed) call = parsed === null ? null : { ...parsed, speaking, guild: guildOf(parsed) };
    return id;
  };

  const guildOf = ({ channel: { guild_id } }: VoiceCall): Guild | null => {
    if (guild_id === null) return null;
    return guilds.get(guild_id) ?? { id: guild_id, name: '', icon: null };
  };

  const nameGuild = async () => {
    const id = call?.channel.guild_id ?? null;
    if (id === null || guilds.has(id)) return;
    const guild = await rpc.request({ cmd: 'GET_GUILD', args: { guild_id: id } }, parseGuild).catch((error) => {
      // The call is valid without the name of its guild.
      if (error instanceof RpcRefusal || error instanceof RpcSilence) return null;
      throw error;
    });
    if (guild !== null) guilds.set(id, guild);
    if (call !== null) call = { ...call, guild: guildOf(call) };
  };

  const readOnce = async () => {
    for (let round = 0; round < mostRounds; round += 1) {
      const id = await rpc.request({ cmd: 'GET_SELECTED_VOICE_CHANNEL' }, takeChannel);
      if (id === followed) return await nameGuild();
      await follow(id);
    }
    throw new Error('the selected channel changed with every request');
  };

  const readWhileStale = async () => {
    try {
      while (stale) {
        stale = false;
        await readOnce();
      }
    } finally {
      reading = null;
    }
  };

  /** Null between channels: events then belong to no known call. */
  const shown = () => (call?.channel.id === followed ? call : null);

  return {
    current: () => call,
    /** Merges selections that arrive during a read into one more read. */
    read() {
      stale = true;
      reading ??= readWhileStale();
      return reading;
    },
    end() {
      call = null;
    },
    join(data) {
      const member = parseMember(data);
      const members = shown()?.members;
      if (member === null || members === undefined) return;
      if (members.size < mostMembers || members.has(member.user.id)) members.set(member.user.id, member);
    },
    leave(data) {
      const id = textOf(objectOf(objectOf(data).user).id);
      if (id !== null && shown()?.members.delete(id)) speaking.delete(id);
    },
    speak(data, speaks) {
      const { user_id, channel_id } = objectOf(data);
      const id = textOf(user_id);
      if (id === null || (textOf(channel_id) ?? followed) !== followed) return;
      if (speaks && shown()?.members.has(id)) speaking.add(id);
      else speaking.delete(id);
    },
    rename(user) {
      const me = call?.members.get(user.id);
      if (me !== undefined) call?.members.set(user.id, { ...me, user });
    },
  };
}
