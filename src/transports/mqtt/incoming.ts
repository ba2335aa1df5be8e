import type { MqttDelivery, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { ShownValues } from '../../core/entities/shown-values.ts';
import type { EntityEvent } from '../../core/readings/entities.ts';
import type { TransportParts } from '../../core/transport.ts';
import { jsonText } from '../../lib/json-text.ts';
import { createActionRunner } from './action-runner.ts';
import { createBudget } from './budget.ts';
import { createCommandHandler } from './commands.ts';
import type { Controls } from './controls.ts';
import { createRequestHandler } from './requests.ts';
import { birthTopic, type Topics } from './topics.ts';

export interface IncomingParts {
  topics: Topics;
  /** Name of the broker for the audit log. */
  broker: string;
  controls: Pick<Controls, 'offered'>;
  shown(module: string): ShownValues | undefined;
  /** False: the message may have waited while the machine slept. */
  isFresh(): boolean;
  publish(message: MqttMessage): boolean;
  announceSoon(delayMs: number): void;
  complain(sentence: string): void;
  guarded(work: () => Promise<unknown>): Promise<void>;
}

/** Every machine receives the birth message of Home Assistant at once. */
const birthSpreadMs = 30_000;
const online = new TextEncoder().encode('online');

/** Accepted commands and requests. Twice what runs, so that a client usually gets a refusal instead of silence. */
const accepted = { most: 120, withinMs: 10_000 };

/** Handles what the broker delivers: commands, requests, and the birth message of Home Assistant. */
export function createIncoming(parts: TransportParts, given: IncomingParts) {
  const { topics, controls, isFresh, publish, complain, guarded } = given;
  const runner = createActionRunner(parts, given.broker, ({ key, type, data }: EntityEvent) =>
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
      const choices = module === undefined ? undefined : given.shown(module)?.choices.get(key);
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
    given.announceSoon(Math.random() * birthSpreadMs);
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
