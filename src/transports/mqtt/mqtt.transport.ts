import type { Methods } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { defineTransport } from '../../core/transport.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { createSequence } from '../../lib/later.ts';
import { secretsOf } from '../http/request.ts';
import { jsonResponse } from '../http/respond.ts';
import { mqttRoutes } from './announced.ts';
import type { MqttStatus } from './mqtt.schema.ts';
import type { RunningMqtt } from './mqtt.ts';
import type { MqttCounters } from './outbox.ts';

/** Publishes readings to an MQTT broker and accepts the granted commands. Nothing is loaded while no broker is set. */
export const mqttTransport = defineTransport({
  name: 'mqtt',
  start(parts) {
    const { service, log, settings, routeTable } = parts;
    const counters: MqttCounters = { messages: 0 };
    let running: RunningMqtt | null = null;
    let appliedTo = '';
    let offeredTo = '';
    let stopped = false;
    /** Serialises changes: one session ends before the next starts. */
    const inTurn = createSequence();

    const apply = async () => {
      const { mqtt, commands, modules } = settings.current();
      const wanted = stopped ? '' : JSON.stringify([mqtt, modules]);
      if (wanted !== appliedTo) {
        appliedTo = wanted;
        await running?.stop();
        running = null;
        if (!stopped && mqtt.url !== '') running = await (await import('./mqtt.ts')).startMqtt(parts, counters);
      }
      const offered = JSON.stringify(commands);
      if (offered !== offeredTo) running?.settingsChanged();
      offeredTo = offered;
    };
    const follow = () => inTurn(apply).catch((error) => log.error(`mqtt: ${messageOf(error)}`));

    const status = (): MqttStatus => running?.status() ?? { ...offStatus(settings.current().mqtt.scopes), ...counters };
    routeTable.routes.set('/api/mqtt', {
      GET(request) {
        requireScope(service.authorize(secretsOf(request), request.connection), 'read');
        return jsonResponse(status());
      },
    });
    const local: Record<string, Methods> = {
      [mqttRoutes.status]: { GET: () => jsonResponse(status()) },
      [mqttRoutes.reconnect]: {
        POST() {
          running?.reconnect();
          return jsonResponse(status());
        },
      },
      [mqttRoutes.forget]: {
        async POST() {
          if (running === null) throw new ServiceError('conflict', 'No broker is set, so there is nothing to remove');
          const topics = await running.forget().catch((error) => {
            throw new ServiceError('failed', messageOf(error));
          });
          running = null;
          return jsonResponse({ topics });
        },
      },
    };
    for (const [path, methods] of Object.entries(local)) routeTable.local.set(path, methods);

    const unfollow = settings.onChange(() => void follow());
    void follow();
    return {
      async stop() {
        stopped = true;
        unfollow();
        await follow();
      },
    };
  },
});

const offStatus = (scopes: string[]): Omit<MqttStatus, keyof MqttCounters> => ({
  enabled: false,
  broker: null,
  encrypted: null,
  connected: false,
  since: null,
  protocol: null,
  id: null,
  topic: null,
  modules: [],
  entities: 0,
  discovery: 'off',
  scopes,
  controls: [],
  problem: null,
  retry_at: null,
});
