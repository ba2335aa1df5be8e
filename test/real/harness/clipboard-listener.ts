import type { FollowedClipboard } from '../../../src/features/clipboard/clipboard.schema.ts';
import { type RunningHostler, until } from './service.ts';
import { connectSocket } from './socket-client.ts';

export type ClipboardContent = NonNullable<FollowedClipboard['content']>;

/** A client that listens to the clipboard over the WebSocket of a service, wherever that runs. */
export async function listenToClipboard(hostler: Pick<RunningHostler, 'port' | 'token'>, token = hostler.token) {
  const socket = await connectSocket(hostler);
  await socket.ask('REGISTER_DATA_LISTENER', { modules: ['clipboard'] }, { token });
  const received = () =>
    socket.messages
      .filter(({ module }) => module === 'clipboard')
      .map(({ data }) => (data as { content: ClipboardContent | null }).content);
  return {
    socket,
    received,
    /** The last payload matches. */
    async has(what: string, found: (content: ClipboardContent) => boolean): Promise<ClipboardContent> {
      return await until(() => {
        const last = received().at(-1) ?? null;
        return last !== null && found(last) ? last : null;
      }).catch(() => {
        throw new Error(`in vain: ${what}; the last one was ${JSON.stringify(received().at(-1))?.slice(0, 500)}`);
      });
    },
  };
}
