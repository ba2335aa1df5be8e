import { ownCommand } from '../../lib/own-command.ts';
import type { CliContext } from '../context.ts';
import { findService } from '../running-service.ts';
import { createBridge } from './mcp-bridge.ts';
import { bridgeSecret } from './mcp-token.ts';

const maxLine = 4 * 1024 * 1024;

/** For programs that start their own servers: messages come in and go out as lines, and the service answers them. */
export async function serveStdio({ host, print }: CliContext): Promise<void> {
  const bridge = createBridge({
    stream: host.localHttp.stream,
    async where() {
      const service = await findService(host);
      if (service === null)
        throw new Error(
          `Hostler is not running on this machine; start it with "${ownCommand('serve')}", then try again`,
        );
      return { socket: service.info.socket, secret: bridgeSecret(host) };
    },
    write: print,
    after: host.clock.after,
  });
  let text = '';
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    if (text.length > maxLine) throw new Error('A message is longer than 4 MiB');
    for (const line of lines) bridge.receive(line);
  }
  // The last one may have no end of line.
  bridge.receive(text);
  await bridge.end();
}
