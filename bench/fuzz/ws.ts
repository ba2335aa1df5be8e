import { connectSocket, type SocketClient } from '../../test/real/harness/socket-client.ts';
import { pause } from '../harness/harness.ts';
import { createJunk, type Junk } from './junk.ts';
import { together } from './raw-http.ts';
import { type Surface, wrongTokens } from './surface.ts';

const events = [
  'GET_DATA REGISTER_DATA_LISTENER UNREGISTER_DATA_LISTENER GET_DIRECTORIES GET_DIRECTORY GET_FILES GET_FILE VALIDATE_DIRECTORY',
  'GET_DISK_MOUNTS GET_SETTINGS COMMAND_EXECUTE MEDIA_CONTROL CHAT_CONTROL POWER_CANCEL GET_HISTORY __proto__ constructor',
]
  .join(' ')
  .split(' ');

/** Messages and frames that are wrong in every part, from clients that come and go, and some that stop reading. */
export const ws: Surface = {
  name: 'ws',
  by: 'caller',
  expected: [wrongTokens],
  async throwJunk(target) {
    const { hostler, isOver, sent, seed } = target;
    await together(8, target, async (number) => {
      const junk = createJunk(seed + 1000 * number + target.junk.below(1e6));
      const client = await connectSocket(hostler).catch(() => null);
      if (client === null) return await pause(20);
      for (let count = 0; !isOver() && !client.isClosed(); count++) {
        junk.pick(acts)(client, junk, hostler.token);
        sent();
        client.messages.length = 0;
        if (count % 4 === 0) await pause(1);
      }
      client.end();
    });
  },
};

type Act = (client: SocketClient, junk: Junk, token: string) => unknown;

const acts: Act[] = [
  ...Array<Act>(12).fill((client, junk, token) => client.frame(1, envelope(junk, token))),
  (client, junk) => client.frame(2, junk.bytes(100)),
  (client, junk) => client.frame(9, junk.bytes(junk.below(125))),
  (client) => client.frame(1, '{"id":', { fin: false }),
  (client, junk) => client.frame(0, '"x"}', { fin: junk.chance(0.5) }),
  (client, junk) => junk.chance(0.1) && client.raw(junk.bytes(junk.below(200))),
  (client, junk) => junk.chance(0.1) && client.frame(junk.below(16), junk.bytes(10)),
  (client, junk) => junk.chance(0.02) && client.frame(1, 'x'.repeat(1024 * 1024 + 1)),
  (client, junk) => junk.chance(0.05) && client.end(),
  (client, junk) => junk.chance(0.05) && client.pause(),
  (client) => client.resume(),
];

function envelope(junk: Junk, token: string): string {
  const modules = () => (junk.chance(0.7) ? ['cpu', 'processes', junk.text()] : junk.value(2));
  const message: Record<string, unknown> = {
    token: junk.chance(0.8) ? token : junk.value(1),
    id: junk.chance(0.9) ? 'fuzz' : junk.value(1),
    event: junk.chance(0.95) ? junk.pick(events) : junk.value(1),
    data: junk.chance(0.5) ? junk.object() : junk.chance(0.5) ? { modules: modules() } : junk.value(),
  };
  for (const key of Object.keys(message)) if (junk.chance(0.05)) delete message[key];
  const text = JSON.stringify(message);
  return junk.chance(0.95) ? text : junk.mangle(text);
}
