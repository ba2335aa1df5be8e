import path from 'node:path';
import { createRequestLines } from '../../core/request-log.ts';
import { defineTransport, type TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { ownUrl, ownUrlOf } from './own-url.ts';
import { problem, problemOf } from './respond.ts';
import { commandLineName, createLocalHandler, localRoutes } from './routes/local.ts';
import { longestSocketPath, startLocalServer } from './server.local.ts';

/** The socket for local commands, such as "hostler open". The service works without it; the commands do not. */
export const commandsTransport = defineTransport({
  name: 'commands',
  start(parts) {
    const { host, log, service, signIn, pairing, routeTable, listenOn } = parts;
    const socket = host.commands?.address() ?? socketPath(host);
    const lines = createRequestLines('commands', log, host.clock);
    const answer = createLocalHandler({
      service,
      log,
      signIn,
      pairing,
      logTail: parts.logTail ?? null,
      base: () =>
        routeTable.listener === null ? ownUrl(listenOn.address, listenOn.port) : ownUrlOf(routeTable.listener),
      others: routeTable.local,
      acceptPress: async (address) => (await host.acceptPress?.(address)) ?? false,
      async answerAgent(request) {
        const answer = routeTable.routes.get(localRoutes.agents)?.[request.method];
        return answer === undefined ? problem(405, `Agents do not use ${request.method}`) : await answer(request);
      },
    });
    const handle = async (request: Request): Promise<Response> => {
      const finish = lines.begin();
      const response = await answer(request);
      const what = () => `${request.method} ${new URL(request.url, 'http://localhost').pathname}`;
      finish?.({ what: what(), outcome: response.status, address: '127.0.0.1', who: commandLineName });
      return response;
    };
    try {
      // A socket of an earlier process with this id.
      host.storage.remove(socket);
      const serve = host.commands?.serve ?? startLocalServer;
      const server = serve({ socket, handle, onError: (error) => problemOf(error, log) });
      routeTable.commands = socket;
      return { stop: server.stop };
    } catch (error) {
      log.warn(
        `The commands of this machine, such as "${ownCommand('open')}", cannot reach this service: ${messageOf(error)}`,
      );
      return { stop: async () => {} };
    }
  },
});

/** In the state directory; if that path is too long for a socket, in the runtime directory if it is private. */
function socketPath({ paths, environment, storage }: TransportParts['host']): string {
  const usual = path.join(paths.state, `cli-${environment.pid}.sock`);
  const { runtime } = paths;
  if (Buffer.byteLength(usual) <= longestSocketPath || runtime === null) return usual;
  const isOurs = storage.signature(runtime) !== null && storage.exposure(runtime) === null;
  return isOurs ? path.join(runtime, `hostler-${environment.pid}.sock`) : usual;
}
