import { definePart } from '../../../core/part.ts';
import type { Host } from '../../../host/host.ts';
import type { Platform } from '../../../lib/platform.ts';
import type { ChatClient, ChatOptions } from './chat.client.contract.ts';
import { type Sockets, unixSockets, windowsSockets } from './chat.sockets.ts';

export type ChatParts = Pick<Host, 'storage' | 'paths' | 'environment' | 'clock' | 'connectLocal'>;

/** The voice-chat application; searched for on first use. One client for all; the options of the first call apply. */
export type ChatConnection = ReturnType<typeof createChat>;

export const chatConnection = definePart<ChatConnection>({
  name: 'chat.connection',
  create: (host) => createChat(host, () => sockets[host.platform ?? 'linux'](host), host.userAgent),
  absent: {
    open: async () => ({
      state: () => ({ kind: 'absent', sentence: 'A recording does not hold the voice chat' }),
      follow: () => () => {},
      command: async () => {
        throw new Error('A recording does not hold the voice chat');
      },
      close: () => {},
    }),
    close: async () => {},
  },
});

const sockets: Record<Platform, (host: Host) => Sockets> = {
  linux: unixSockets,
  darwin: unixSockets,
  windows: windowsSockets,
};

export function createChat(parts: ChatParts, findSockets: () => Sockets, userAgent: string) {
  let client: Promise<ChatClient> | null = null;
  const create = async (options: ChatOptions): Promise<ChatClient> => {
    const [{ createChatClient }, { createPostForm }] = await Promise.all([
      import('./chat.client.ts'),
      import('./chat.oauth.ts'),
    ]);
    const { storage, paths, environment, clock, connectLocal } = parts;
    const own = { storage, paths, environment, clock, connectLocal };
    return createChatClient({ ...own, sockets: findSockets(), post: createPostForm(userAgent) }, options);
  };
  return {
    open(options: ChatOptions): Promise<ChatClient> {
      client ??= create(options);
      return client;
    },
    async close() {
      (await client)?.close();
    },
  };
}
