import type { Host } from '../../../host/host.ts';
import type { ChatClient, ChatOptions, OpenChat } from './chat.client.contract.ts';
import type { Sockets } from './chat.sockets.ts';

export type ChatParts = Pick<Host, 'storage' | 'paths' | 'environment' | 'clock' | 'connectLocal'>;

export function createChat(
  parts: ChatParts,
  findSockets: () => Sockets,
  version: string,
): { open: OpenChat; close(): Promise<void> } {
  let client: Promise<ChatClient> | null = null;
  const create = async (options: ChatOptions): Promise<ChatClient> => {
    const [{ createChatClient }, { createPostForm }] = await Promise.all([
      import('./chat.client.ts'),
      import('./chat.oauth.ts'),
    ]);
    return createChatClient({ ...parts, sockets: findSockets(), post: createPostForm(`hostler/${version}`) }, options);
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
