import type { MqttDelivery } from '@hostler/mqtt/mqtt.ts';
import type { ActionDefinition } from '../../core/action.ts';
import type { Control } from '../../core/readings/entities.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Orders } from './action-runner.ts';
import { createRepeats, type Repeats } from './duplicate-filter.ts';
import type { Topics } from './topics.ts';

/** A control that is offered now. */
export interface OfferedControl {
  action: ActionDefinition;
  control: Control;
}

export interface CommandParts {
  topics: Topics;
  orders: Orders;
  repeats?: Repeats;
  offered(key: string): OfferedControl | null;
  /** What stands behind the words that people choose; null: that cannot be chosen. */
  choice(control: Control, sent: string): string | null;
  /** Whether the connection lived through no sleep: what comes after one may be as old as that. */
  isFresh(): boolean;
  complain(sentence: string): void;
}

const longest = 65_536;
const shownLength = 64;

/** What Home Assistant's controls send. Whatever is wrong with one of them, it is not obeyed, and the log says so once. */
export function createCommandHandler(parts: CommandParts): (delivery: MqttDelivery) => Promise<void> {
  const { topics, orders, offered, choice, isFresh, complain } = parts;
  const prefix = topics.command('');
  const repeats = parts.repeats ?? createRepeats();

  const problemOf = (delivery: MqttDelivery): string | null => {
    if (delivery.retain) return 'it was retained, so it may be of any age';
    if (delivery.expiresAfter === 0) return 'it has expired';
    if (delivery.payload.length > longest) return `it is longer than ${longest} bytes`;
    if (!isFresh()) return 'the machine slept meanwhile, so it may be of any age';
    return repeats.isRepeated(delivery) ? 'it was delivered twice' : null;
  };

  return async (delivery) => {
    const key = delivery.topic.slice(prefix.length);
    const name = JSON.stringify(key.slice(0, shownLength));
    const refuse = (why: string) => complain(`mqtt: the command ${name} was not obeyed: ${why}`);
    const problem = problemOf(delivery);
    if (problem !== null) return refuse(problem);
    const found = offered(key);
    if (found === null) return refuse('there is no such control, or mqtt.scopes does not grant it');
    const sent = payloadText(delivery.payload);
    const meant = sent === null ? null : choice(found.control, sent);
    const input = meant === null ? null : found.control.toInput(meant);
    if (input === null) return refuse('it makes no sense');
    try {
      await orders.perform(found.action, input);
    } catch (error) {
      refuse(messageOf(error));
    }
  };
}

/** null: it is not text. */
export function payloadText(payload: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch {
    return null;
  }
}
