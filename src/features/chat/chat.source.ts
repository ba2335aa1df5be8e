import type { ChatFacts } from '@hostler/discord-rpc/voice-state.ts';
import type { CreateSource } from '../../core/module.ts';
import { partOf } from '../../core/part.ts';
import type { Reasons } from '../../core/reasons.ts';
import { messageOf } from '../../lib/errors.ts';
import { chatPayloadOf } from './chat.payload.ts';
import type { Chat } from './chat.schema.ts';
import { disconnected } from './chat.ts';
import type { ChatClient, ChatState } from './client/chat.client.contract.ts';
import { chatConnection } from './client/chat.open.ts';

/** The state that the connection holds; a read queries nothing. */
export const chatSource: CreateSource<Chat> = (host, { settings, log, passing = false }) => {
  let client: ChatClient | null = null;
  const open = async (): Promise<ChatClient> => {
    const connection = await partOf(host, chatConnection);
    client = await connection.open({ oauthUrl: () => settings().chat.oauthUrl, log, passing });
    return client;
  };
  return {
    read: async (reasons) => payloadOf(await (client ?? (await open())).state(), reasons),
    watch(changed) {
      let stopped = false;
      let stop = () => {};
      open().then(
        (opened) => {
          if (stopped) return;
          stop = opened.follow(changed);
          // Changes before this were not announced.
          changed();
        },
        (error) => log.warn(`chat: cannot follow changes: ${messageOf(error)}`),
      );
      return () => {
        stopped = true;
        stop();
      };
    },
  };
};

function payloadOf(state: ChatState, reasons: Reasons): Chat | null {
  if (state.kind === 'absent') {
    reasons.missing(null, state.sentence);
    return null;
  }
  const { connected, facts, obstacle } = state;
  if (facts !== null) return payloadWithReasons(facts, reasons);
  const sentence = obstacle?.sentence ?? 'the voice-chat application has not answered yet';
  const explain = obstacle?.mendable === false ? reasons.inherent : reasons.missing;
  for (const field of unknownFields) explain(field, sentence);
  return { ...disconnected, connected };
}

const unknownFields = Object.entries(disconnected).flatMap(([field, value]) => (value === null ? [field] : []));

/** The reason of each null in a complete payload depends on its field. */
function payloadWithReasons(facts: ChatFacts, reasons: Reasons): Chat {
  const payload = chatPayloadOf(facts);
  for (const [field, sentence] of explanations)
    if (isNullAt(payload, field.split('.'))) reasons.inherent(field, sentence);
  return payload;
}

const noName = 'the account has no display name';
const noPicture = 'the account has no picture';
const noNick = 'no nickname is set for this call';
const notReported = 'the application does not report it for this channel';
const notMeasured = 'the application has not measured it yet';

const explanations: [string, string][] = [
  ['user.global_name', noName],
  ['user.avatar_url', noPicture],
  ['call', 'the user is not in a call'],
  ['call.channel.name', 'direct-message calls have no name'],
  ['call.channel.bitrate', notReported],
  ['call.channel.user_limit', notReported],
  ['call.server', 'direct-message calls do not belong to a server'],
  ['call.server.icon_url', 'the server has no icon'],
  ['call.connection', 'the application has not reported it yet'],
  ['call.connection.last_ping', notMeasured],
  ['call.connection.average_ping', notMeasured],
  ['call.me', 'the application does not list the user in the channel yet'],
  ['call.me.nick', noNick],
  ['call.me.user.global_name', noName],
  ['call.me.user.avatar_url', noPicture],
  ['call.me.local_mute', "does not apply to the user's own entry"],
  ['call.me.volume', "does not apply to the user's own entry"],
  ['call.members[].nick', noNick],
  ['call.members[].user.global_name', noName],
  ['call.members[].user.avatar_url', noPicture],
  ['call.members[].local_mute', "does not apply to the user's own entry"],
  ['call.members[].volume', "does not apply to the user's own entry"],
];

function isNullAt(value: unknown, [key, ...rest]: string[]): boolean {
  if (key === undefined) return value === null;
  if (typeof value !== 'object' || value === null) return false;
  const name = key.replace('[]', '');
  const inner: unknown = Object.entries(value).find(([field]) => field === name)?.[1];
  return Array.isArray(inner) ? inner.some((entry) => isNullAt(entry, rest)) : isNullAt(inner, rest);
}
