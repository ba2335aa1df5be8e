import type { MqttDelivery } from '@hostler/mqtt/mqtt.ts';
import type { OfferedControl } from '../../core/entities/described-entity.ts';
import type { Control } from '../../core/readings/entities.ts';
import { messageOf } from '../../lib/errors.ts';
import type { ActionRunner } from './action-runner.ts';
import { createDuplicateFilter } from './duplicate-filter.ts';
import type { Topics } from './topics.ts';

export interface CommandParts {
  topics: Topics;
  runner: ActionRunner;
  offered(key: string): OfferedControl | null;
  /** The value of a displayed choice; null: not a choice. */
  choice(control: Control, sent: string): string | null;
  /** False: the machine slept during this connection, so a message may be old. */
  isFresh(): boolean;
  complain(sentence: string): void;
}

const longest = 65_536;
const shownLength = 64;

/** Runs the commands of Home Assistant's controls. An invalid command is ignored and logged once. */
export function createCommandHandler(parts: CommandParts): (delivery: MqttDelivery) => Promise<void> {
  const { topics, runner, offered, choice, isFresh, complain } = parts;
  const prefix = topics.command('');
  const isRepeated = createDuplicateFilter();

  const problemOf = (delivery: MqttDelivery): string | null => {
    if (delivery.retain) return 'it was retained, so it may be of any age';
    if (delivery.expiresAfter === 0) return 'it has expired';
    if (delivery.payload.length > longest) return `it is longer than ${longest} bytes`;
    if (!isFresh()) return 'the machine slept meanwhile, so it may be of any age';
    return isRepeated(delivery) ? 'it was delivered twice' : null;
  };

  return async (delivery) => {
    const key = delivery.topic.slice(prefix.length);
    const name = JSON.stringify(key.slice(0, shownLength));
    const refuse = (why: string) => complain(`mqtt: the command ${name} was ignored: ${why}`);
    const problem = problemOf(delivery);
    if (problem !== null) return refuse(problem);
    const found = offered(key);
    if (found === null) return refuse('there is no such control, or mqtt.scopes does not grant it');
    const sent = payloadText(delivery.payload);
    const meant = sent === null ? null : choice(found.control, sent);
    const input = meant === null ? null : found.control.toInput(meant);
    if (input === null) return refuse('its value is not valid');
    try {
      await runner.perform(found.action, input);
    } catch (error) {
      refuse(messageOf(error));
    }
  };
}

/** null: not UTF-8. */
export function payloadText(payload: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch {
    return null;
  }
}
