import path from 'node:path';
import { createRequestLines } from '../../core/request-log.ts';
import type { HttpRequest } from '../../core/route-table.ts';
import { defineTransport, type TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { ownUrl, ownUrlOf } from './own-url.ts';
import { toHttpRequest } from './request.ts';
import { problem, problemOf } from './respond.ts';
import { commandLineName, createLocalRoutes } from './routes/local.ts';
import { longestSocketPath, startLocalServer } from './server.local.ts';

/** The socket for local commands, such as "hostler open". The service works without it; the commands do not. */
export const commandsTransport = defineTransport({
  name: 'commands',
  start(parts) {
    const { host, log, service, signIn, pairing, routeTable, listenOn } = parts;
    const socket = host.commands?.address() ?? socketPath(host);
    const lines = createRequestLines('commands', log, host.clock);
    const { local } = routeTable;
    const own = createLocalRoutes({
      service,
      signIn,
      pairing,
      logTail: parts.logTail ?? null,
      base: () =>
        routeTable.listener === null ? ownUrl(listenOn.address, listenOn.port) : ownUrlOf(routeTable.listener),
      acceptPress: async (address) => (await host.acceptPress?.(address)) ?? false,
    });
    for (const [path, methods] of Object.entries(own)) local.set(path, methods);
    const answer = async (request: HttpRequest): Promise<Response> => {
      const { method, path } = request;
      try {
        const methods = local.get(path);
        const handler = methods?.[method];
        if (handler !== undefined) return await handler(request);
        if (methods !== undefined) return problem(405, `${method} is not allowed at ${path}`);
        // An unknown module name is answered with the known ones.
        if (path.startsWith('/data/')) service.store.get(decodeURIComponent(path.slice('/data/'.length)));
        return problem(
          404,
          'The running service does not support this request; it may have another version. Restart it',
        );
      } catch (thrown) {
        return problemOf(thrown, log);
      }
    };
    const handle = async (raw: Request): Promise<Response> => {
      const finish = lines.begin();
      const request = toHttpRequest(raw, here);
      const response = await answer(request);
      const what = `${request.method} ${request.path}`;
      finish?.({ what, outcome: response.status, address: '127.0.0.1', who: commandLineName });
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

const here = { end: () => ({ address: '127.0.0.1', port: 0 }), isOurUser: async () => true, isEncrypted: false };

/** In the state directory; if that path is too long for a socket, in the runtime directory if it is private. */
function socketPath({ paths, environment, storage }: TransportParts['host']): string {
  const usual = path.join(paths.state, `cli-${environment.pid}.sock`);
  const { runtime } = paths;
  if (Buffer.byteLength(usual) <= longestSocketPath || runtime === null) return usual;
  const isOurs = storage.signature(runtime) !== null && storage.exposure(runtime) === null;
  return isOurs ? path.join(runtime, `hostler-${environment.pid}.sock`) : usual;
}
