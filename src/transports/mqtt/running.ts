import { followPowerState } from '../../core/entities/power-state.ts';
import type { EntityValue } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { createEntityAnnouncements, type EntityAnnouncements } from './announcements.ts';
import { isExposed } from './broker-address.ts';
import { type Controls, createControls } from './controls.ts';
import { createIncoming } from './incoming.ts';
import { createModulePublisher, type ModulePublisher } from './publisher.ts';
import type { MqttSession } from './session.ts';

/** The parts of the transport that one session connects. */
export interface Running {
  parts: TransportParts;
  session: MqttSession;
  controls: Controls;
  announcements: EntityAnnouncements;
  incoming: ReturnType<typeof createIncoming>;
  publishers: readonly ModulePublisher[];
  power: ReturnType<typeof followPowerState>;
  /** Values that actions show, by action. */
  actionValues: Map<string, Record<string, EntityValue>>;
  unsubscribe(): void;
}

export async function createRunning(parts: TransportParts, session: MqttSession): Promise<Running> {
  const { given, topics, id, outbox } = session;
  const controls = createControls(parts, topics, id);
  const announcements = createEntityAnnouncements(parts, session, controls);
  const incoming = createIncoming(parts, session, controls, announcements);
  if (isExposed(given.url) && given.username !== '')
    parts.log.warn(`mqtt: the password for ${session.broker} travels unencrypted; use mqtts:// or wss://`);
  const publishers = await createPublishers(parts, session, announcements);
  const power = followPowerState(parts, {
    changed: (state) => void outbox.publishRetained(topics.powerState, state),
    // Messages sent while the machine slept are dropped with the old connection.
    resumed: () => session.connection?.restart(),
  });
  const actionValues = new Map<string, Record<string, EntityValue>>();
  return {
    parts,
    session,
    controls,
    announcements,
    incoming,
    publishers,
    power,
    actionValues,
    unsubscribe: () => {},
  };
}

async function createPublishers(
  { service, host, log, settings }: TransportParts,
  session: MqttSession,
  announcements: EntityAnnouncements,
): Promise<ModulePublisher[]> {
  const publishers: ModulePublisher[] = [];
  for (const definition of session.modules) {
    publishers.push(
      await createModulePublisher(definition, {
        store: service.store,
        host,
        clock: host.clock,
        log,
        topics: session.topics,
        intervalSeconds: session.given.interval,
        moduleSeconds: ({ name, everyMs }) => (settings.current().modules[name]?.interval ?? everyMs) / 1000,
        publish: session.outbox.publish,
        entities: announcements.take,
        device(next) {
          session.facts = next;
        },
      }),
    );
  }
  return publishers;
}
