import { afterEach, beforeEach, expect } from 'bun:test';
import { partOf } from '../../src/core/part.ts';
import type { ChatClient, ChatState } from '../../src/features/chat/client/chat.client.contract.ts';
import { chatConnection } from '../../src/features/chat/client/chat.open.ts';
import { fakeClock } from '../doubles/fake-host.ts';
import { type ChatMachine, chatMachine } from '../doubles/peers/chat-host.ts';
import { startVoiceChat, testClient, type VoiceChat } from '../doubles/peers/voice-chat.ts';
import { until } from './until.ts';

export let machine: ChatMachine;
export let peer: VoiceChat;
export let client: ChatClient;
export let lines: string[];
export const clock = fakeClock(Date.now());

/** To be called once by each file of tests: every test gets an application and a client. */
export function useChatClient(): void {
  beforeEach(async () => {
    lines = [];
    machine = chatMachine({ clock });
    peer = await startVoiceChat({ directory: machine.directory });
    const say = (line: string) => void lines.push(line);
    const connection = await partOf(machine.host, chatConnection);
    client = await connection.open({ oauthUrl: () => peer.oauth.url, log: { info: say, warn: say } });
  });

  afterEach(async () => {
    await machine.close();
    await peer.stop();
    // No timer remains.
    expect(clock.advanceToNext()).toBe(false);
    for (const secret of peer.oauth.secrets) expect(lines.join('\n')).not.toContain(secret);
  });
}

/** Another application takes the place of the one that the test began with. */
export async function startPeer(options: Parameters<typeof startVoiceChat>[0]): Promise<void> {
  peer = await startVoiceChat(options);
}

export const present = (state: ChatState) => {
  if (state.kind === 'absent') throw new Error(state.sentence);
  return state;
};
/** Does not wait long: the clock stands still here. */
export const now = async () => present(await Promise.race([client.state(), unsettled()]));
const unsettled = () =>
  new Promise<ChatState>((resolve) => {
    setTimeout(() => resolve({ kind: 'present', connected: false, facts: null, obstacle: null }), 20);
  });
export const isReady = async () => (await now()).facts !== null;
export const ready = () => until(isReady, 'everything is read');
export const standing = async () => (await now()).obstacle?.sentence ?? '';
export const sent = (cmd: string) => peer.received.filter((request) => request.cmd === cmd).length;
export const setUp = (given = testClient) => machine.put('chat.json', given);
export const hour = 3600;
export const tokensOf = (seconds: number) => {
  const tokens = peer.oauth.issueTokens(['rpc']);
  return { ...tokens, expires_at: Math.floor(clock.now() / 1000) + seconds };
};
