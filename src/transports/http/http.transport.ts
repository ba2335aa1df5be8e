import { createCrowd } from '../../access/crowd.ts';
import { createLocality } from '../../access/locality.ts';
import { createKnownNames } from '../../access/machine-names.ts';
import { defineTransport } from '../../core/transport.ts';
import { createOpenServedFile } from '../../user-files/open-served-file.ts';
import { createDashboard } from './dashboard.ts';
import { createHandler } from './handler.ts';
import { explainListening } from './listening-problem.ts';
import { problemOf } from './respond.ts';
import { createRoutes } from './routes.ts';
import { readWebPack } from './server.assets.ts';
import { createFileSending } from './server.files.ts';
import { createSocketSeam } from './server.sockets.ts';
import { startHttpServer } from './server.ts';

/** Lets answers under way finish for this long. */
const graceMs = 300;

/** The port. It opens when everything behind it stands, so it is the last in the list. */
export const httpTransport = defineTransport({
  name: 'http',
  start({ service, host, log, settings, signIn, pairing, listenOn: { address, port }, entrance }) {
    const { clock } = host;
    const files = createFileSending();
    const openServedFile = createOpenServedFile(host, settings.current);
    for (const [path, methods] of createRoutes({ service, now: clock.now, signIn, pairing }))
      entrance.routes.set(path, methods);
    const handle = createHandler({
      service,
      log,
      entrance,
      openServedFile,
      fileBody: files.body,
      knownNames: createKnownNames(host, settings.current),
      port: () => server.port,
      isOurUser: createLocality(host, () => ({ address, port: server.port })),
      dashboard: createDashboard(readWebPack),
    });
    const crowd = createCrowd({
      open: host.doorway,
      port: () => server.port,
      clock,
      log,
      guestAt: (from, at) => entrance.sockets?.guestAt(from, at) ?? null,
    });
    const sockets = createSocketSeam(() => entrance.sockets);
    const server = explainListening(address, port, () =>
      startHttpServer({
        host: address,
        port,
        handle(request, peer, unhurried) {
          crowd.watch();
          return handle(request, peer, unhurried);
        },
        files,
        sockets,
        onError: (error) => problemOf(error, log),
      }),
    );
    entrance.door = { address, port: server.port, publish: sockets.publish, upgrade: sockets.upgrade };
    return {
      async stop() {
        crowd.stop();
        await server.stop(graceMs);
      },
    };
  },
});
