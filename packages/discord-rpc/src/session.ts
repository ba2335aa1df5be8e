import { type Rpc, RpcRefusal } from './rpc.ts';
import { followCall } from './session.call.ts';
import { objectOf, textOf } from './values.ts';
import {
  type ChatFacts,
  type ChatUser,
  parseConnection,
  parseUser,
  parseVoiceSettings,
  type VoiceConnection,
  type VoiceSettings,
} from './voice-state.ts';

/** The state of the application over one connection: one full read, then updates by events. */
export interface DiscordSession {
  /** Reads everything once. */
  start(): Promise<void>;
  /** null until everything was read. */
  facts(): ChatFacts | null;
  event(name: string, data: unknown): void;
}

export interface DiscordSessionParts {
  rpc: Rpc;
  user: ChatUser;
  changed(): void;
  /** The session cannot continue. */
  failed(error: Error): void;
}

const events = ['VOICE_SETTINGS_UPDATE', 'VOICE_CHANNEL_SELECT', 'VOICE_CONNECTION_STATUS', 'CURRENT_USER_UPDATE'];

export function createDiscordSession({ rpc, user, changed, failed }: DiscordSessionParts): DiscordSession {
  const call = followCall(rpc);
  let account = user;
  let voice: VoiceSettings | null = null;
  let connection: VoiceConnection | null = null;
  let complete = false;

  const select = (channel: string | null) => {
    // A channel that was left is discarded; one that was entered may have reported already.
    const before = call.current();
    if (before !== null && before.channel.id !== channel) connection = null;
    if (channel === null) call.end();
    call.read().then(notify, failed);
  };

  const notify = () => {
    if (complete) changed();
  };

  const handlers: Record<string, (data: unknown) => void> = {
    VOICE_SETTINGS_UPDATE(data) {
      voice = parseVoiceSettings(data);
    },
    CURRENT_USER_UPDATE(data) {
      account = parseUser(data);
      call.rename(account);
    },
    VOICE_CHANNEL_SELECT: (data) => select(textOf(objectOf(data).channel_id)),
    VOICE_CONNECTION_STATUS(data) {
      connection = parseConnection(data);
    },
    VOICE_STATE_CREATE: call.join,
    VOICE_STATE_UPDATE: call.join,
    VOICE_STATE_DELETE: call.leave,
    SPEAKING_START: (data) => call.speak(data, true),
    SPEAKING_STOP: (data) => call.speak(data, false),
  };

  const subscribe = (evt: string) =>
    rpc
      .request({ cmd: 'SUBSCRIBE', evt }, () => {})
      .catch((error) => {
        // Without the scope "identify" there are no events for the account; all others arrive.
        if (!(error instanceof RpcRefusal && evt === 'CURRENT_USER_UPDATE')) throw error;
      });

  return {
    async start() {
      await Promise.all(events.map(subscribe));
      await rpc.request({ cmd: 'GET_VOICE_SETTINGS' }, (data) => {
        voice = parseVoiceSettings(data);
      });
      await call.read();
      complete = true;
      changed();
    },
    facts() {
      if (!complete || voice === null) return null;
      const now = call.current();
      return { user: account, voice, call: now === null ? null : { ...now, connection } };
    },
    event(name, data) {
      const handle = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (handle === undefined) return;
      try {
        handle(data);
      } catch {
        // An empty event changes nothing.
        return;
      }
      notify();
    },
  };
}
