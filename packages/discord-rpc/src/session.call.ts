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

/** The call the user is in: read whenever another channel is selected, and in between kept up to date by events. */
export interface FollowedCall {
  current(): VoiceCall | null;
  /** Reads it anew; resolves when what is known is what was last selected. */
  read(): Promise<void>;
  /** The user left. */
  end(): void;
  join(data: unknown): void;
  leave(data: unknown): void;
  speak(data: unknown, speaks: boolean): void;
  rename(user: ChatUser): void;
}

const events = ['VOICE_STATE_CREATE', 'VOICE_STATE_UPDATE', 'VOICE_STATE_DELETE', 'SPEAKING_START', 'SPEAKING_STOP'];
/** A channel that is gone can be neither followed nor left. */
const invalidChannel = 4005;
const mostRounds = 10;

export function followCall(rpc: Rpc): FollowedCall {
  const guilds = new Map<string, Guild>();
  const speaking = new Set<string>();
  let call: VoiceCall | null = null;
  /** The channel whose events come. */
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

  /** Events of the old channel must not be taken for those of the new one: they end before anything is read. */
  const follow = async (channel: string | null) => {
    const before = followed;
    followed = null;
    if (before !== null) await subscribe('UNSUBSCRIBE', before);
    speaking.clear();
    followed = channel;
    if (channel !== null) await subscribe('SUBSCRIBE', channel);
  };

  /** Counts only if the events of that channel come already; whatever happens later is told by them. */
  const takeChannel = (data: unknown): string | null => {
    const told = parseCall(data);
    const id = told?.channel.id ?? null;
    if (id === followed) call = told === null ? null : { ...told, speaking, guild: guildOf(told) };
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
      // The call matters more than the name of where it is.
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
    throw new Error('it names another channel whenever it is asked');
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

  /** Null between channels: events that come then belong to no call that is known. */
  const shown = () => (call?.channel.id === followed ? call : null);

  return {
    current: () => call,
    /** Selections that come while one is being read are joined into one more read. */
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
