import type { MqttDelivery } from '@hostler/mqtt/mqtt.ts';
import type { EntityEvent } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { jsonText } from '../../lib/json-text.ts';
import { createActionRunner } from './action-runner.ts';
import type { EntityAnnouncements } from './announcements.ts';
import { createBudget } from './budget.ts';
import { createCommandHandler } from './commands.ts';
import type { Controls } from './controls.ts';
import { createRequestHandler } from './requests.ts';
import type { MqttSession } from './session.ts';
import { birthTopic } from './topics.ts';

/** Every machine receives the birth message of Home Assistant at once. */
const birthSpreadMs = 30_000;
const online = new TextEncoder().encode('online');

/** Accepted commands and requests. Twice what runs, so that a client usually gets a refusal instead of silence. */
const accepted = { most: 120, withinMs: 10_000 };

/** Handles what the broker delivers: commands, requests, and the birth message of Home Assistant. */
export function createIncoming(
  parts: TransportParts,
  { given, topics, sleep, outbox: { publish }, complain, guarded }: MqttSession,
  controls: Pick<Controls, 'offered'>,
  announcements: Pick<EntityAnnouncements, 'shown' | 'announceSoon'>,
) {
  // Otherwise the message may have waited while the machine slept.
  const isFresh = () => !sleep.hasSlept();
  const runner = createActionRunner(parts, new URL(given.url).hostname, ({ key, type, data }: EntityEvent) =>
    publish({
      topic: topics.event(key),
      payload: jsonText({ event_type: type, ...data }),
      qos: 1,
      retain: false,
    }),
  );
  const command = createCommandHandler({
    topics,
    runner,
    offered: controls.offered,
    choice({ key, module }, sent) {
      const choices = module === undefined ? undefined : announcements.shown(module)?.choices.get(key);
      return choices === undefined ? sent : (choices.get(sent) ?? null);
    },
    isFresh,
    complain,
  });
  const request = createRequestHandler({
    clock: parts.host.clock,
    topics,
    actions: parts.service.actions,
    runner,
    isFresh,
    publish: (message) => void publish(message),
    complain,
  });
  const born = ({ retain, payload }: MqttDelivery) => {
    // A retained message may be old, and this machine has just announced itself.
    if (retain || payload.length !== online.length || !online.every((byte, at) => payload[at] === byte)) return;
    announcements.announceSoon(Math.random() * birthSpreadMs);
  };
  const hasRoom = createBudget(parts.host.clock, accepted);
  const isCommand = (topic: string) => topic.startsWith(topics.command(''));
  return {
    /** Called before a message is decoded: a message above the budget costs next to nothing. */
    accepts(topic: string): boolean {
      if (topic === birthTopic) return true;
      if (topic !== topics.request && !isCommand(topic))
        complain(`mqtt: the broker sent ${JSON.stringify(topic.slice(0, 64))}, which was not subscribed to`);
      else if (hasRoom()) return true;
      else complain('mqtt: more commands and requests arrive than are accepted; some are ignored');
      return false;
    },
    take(delivery: MqttDelivery): void {
      const { topic } = delivery;
      if (topic === birthTopic) born(delivery);
      else void guarded(() => (isCommand(topic) ? command : request)(delivery));
    },
    stop: runner.stop,
  };
}
