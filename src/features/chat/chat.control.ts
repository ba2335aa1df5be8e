import { RpcRefusal, type RpcRequest } from '@hostler/discord-rpc/rpc.ts';
import { type ChatFacts, parseVoiceSettings } from '@hostler/discord-rpc/voice-state.ts';
import type { ActionContext, ActionResult } from '../../core/action.ts';
import { partOf } from '../../core/part.ts';
import type { Host } from '../../host/host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isChatAction, orders } from './chat.commands.ts';
import type { ChatControlInput, ChatControlOutput } from './chat.schema.ts';
import type { ChatClient, ChatState } from './client/chat.client.contract.ts';
import { chatFiles } from './client/chat.credentials.ts';
import { chatConnection } from './client/chat.open.ts';

export async function controlVoice(
  input: ChatControlInput,
  { host, log, settings }: ActionContext,
): Promise<ActionResult<ChatControlOutput>> {
  const { action } = input;
  if (!isChatAction(action)) {
    throw new ServiceError(
      'invalid',
      `There is no action ${JSON.stringify(action)}; available: ${Object.keys(orders).join(', ')}`,
      { subtype: 'INVALID_ACTION' },
    );
  }
  const toRequest = orders[action](input);
  const { open } = await partOf(host, chatConnection);
  const client = await open({ oauthUrl: () => settings().chat.oauthUrl, log });
  const facts = factsIn(await client.state());
  const request = toRequest(facts.voice);
  const data = await send(client, request, action);
  return { message: `${action} was done`, data: { action, ...standing(facts, request, data) } };
}

export function whyAbsent({ storage, paths }: Host): string | null {
  const setUp = chatFiles({ storage, paths }).setUp();
  if (setUp.kind === 'ready') return null;
  if (setUp.kind === 'broken') return setUp.sentence;
  return `the voice-chat application is not set up; run "${ownCommand('chat setup')}" on the machine`;
}

function factsIn(state: ChatState): ChatFacts {
  if (state.kind === 'absent') throw new ServiceError('unsupported', `chat.control: ${state.sentence}`);
  if (state.facts !== null) return state.facts;
  const why = state.obstacle?.sentence ?? 'the voice-chat application has not answered yet; try again in a moment';
  throw new ServiceError('failed', `chat.control: ${why}`);
}

/** The application asks back before the user leaves another call; the command implies consent. */
const forceRequired = 5003;

async function send(client: ChatClient, request: RpcRequest, action: string): Promise<unknown> {
  try {
    return await client.command(request, whole);
  } catch (error) {
    if (!(error instanceof RpcRefusal && error.code === forceRequired)) throw failure(error, request, action);
  }
  try {
    return await client.command({ ...request, args: { ...request.args, force: true } }, whole);
  } catch (error) {
    throw failure(error, request, action);
  }
}

const whole = (data: unknown) => data;

/** Errors of the request itself, unrelated to a lock on the voice settings: payload, scope, user. */
const mistakes = new Set([4000, 4006, 4010]);

function failure(error: unknown, { cmd }: RpcRequest, action: string): ServiceError {
  const words = messageOf(error)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 300);
  if (!(error instanceof RpcRefusal))
    return new ServiceError('failed', `${action}: the voice-chat application failed: ${words}`, {
      cause: error,
    });
  const isAboutHolder = cmd.startsWith('SET_') && (!mistakes.has(error.code) || /lock|another/i.test(words));
  const hint = isAboutHolder
    ? '. It lets only one program at a time control the voice settings; another one may be doing so: close that one first'
    : '';
  return new ServiceError('failed', `${action}: the voice-chat application refused: ${words}${hint}`, { cause: error });
}

function standing(
  { voice, call }: ChatFacts,
  { cmd, args }: RpcRequest,
  data: unknown,
): Omit<ChatControlOutput, 'action'> {
  const { mute, deaf } = cmd === 'SET_VOICE_SETTINGS' ? parseVoiceSettings(data) : voice;
  const chosen = cmd === 'SELECT_VOICE_CHANNEL' && args !== undefined && 'channel_id' in args ? args.channel_id : null;
  const channel = cmd === 'SELECT_VOICE_CHANNEL' ? chosen : (call?.channel.id ?? null);
  return { mute: mute || deaf, deaf, channel_id: typeof channel === 'string' ? channel : null };
}
