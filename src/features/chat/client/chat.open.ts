import { definePart } from '../../../core/part.ts';
import type { Host } from '../../../host/host.ts';
import type { Platform } from '../../../lib/platform.ts';
import type { ChatClient, ChatOptions, OpenChat } from './chat.client.contract.ts';
import { type Sockets, unixSockets, windowsSockets } from './chat.sockets.ts';

export type ChatParts = Pick<Host, 'storage' | 'paths' | 'environment' | 'clock' | 'connectLocal'>;

/** The voice-chat application; searched for on first use. */
export interface ChatConnection {
  open: OpenChat;
  close(): Promise<void>;
}

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

export function createChat(parts: ChatParts, findSockets: () => Sockets, userAgent: string): ChatConnection {
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
    open(options) {
      client ??= create(options);
      return client;
    },
    async close() {
      (await client)?.close();
    },
  };
}
