import { defineTransport } from '../../core/transport.ts';
import { createLive } from './live.ts';
import { createSocketRoute } from './socket-route.ts';

/** The WebSocket API, on the same ports as HTTP. */
export const webSocketTransport = defineTransport({
  name: 'websocket',
  start({ service, host: { clock }, log, routeTable }) {
    const live = createLive({
      service,
      feeds: routeTable.feeds,
      control: async (key, value) => (await routeTable.control?.(key, value)) ?? null,
      log,
      publish: (topic, text, compress) => routeTable.listener?.publish(topic, text, compress),
      monotonic: clock.monotonic,
      after: clock.after,
      soon: (callback) => void clock.after(0, callback),
    });
    routeTable.sockets = live;
    const takeAway = service.clients.add((most) => live.clients(most, clock.now()));
    routeTable.upgrades.set('/api/websocket', createSocketRoute(routeTable, service, live.enter));
    return {
      async stop() {
        takeAway();
        live.close();
      },
    };
  },
});
