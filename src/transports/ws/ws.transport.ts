import { defineTransport } from '../../core/transport.ts';
import { createLive } from './live.ts';
import { createSocketRoute } from './socket-route.ts';

/** The WebSocket API, on the same ports as HTTP. */
export const webSocketTransport = defineTransport({
  name: 'websocket',
  start({ service, host: { clock }, log, entrance }) {
    const live = createLive({
      service,
      log,
      publish: (topic, text, compress) => entrance.door?.publish(topic, text, compress),
      monotonic: clock.monotonic,
      after: clock.after,
      soon: (callback) => void clock.after(0, callback),
    });
    entrance.sockets = live;
    const takeAway = service.clients.add((most) => live.clients(most, clock.now()));
    entrance.upgrades.set('/api/websocket', createSocketRoute(entrance, service, live.enter));
    return {
      async stop() {
        takeAway();
        live.close();
      },
    };
  },
});
