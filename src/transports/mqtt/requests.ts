import type { MqttDelivery, MqttMessage } from '@hostler/mqtt/mqtt.ts';
import type { ActionDefinition } from '../../core/action.ts';
import { byEvent } from '../../core/action.ts';
import { CostlyJson, parseBoundedJson } from '../../lib/bounded-json.ts';
import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/digest.ts';
import { ServiceError, toServiceError } from '../../lib/errors.ts';
import { jsonText } from '../../lib/json-text.ts';
import { isObject } from '../../lib/values.ts';
import { wireCodeOf } from '../ws/codes.ts';
import type { ActionRunner } from './action-runner.ts';
import { createBudget } from './budget.ts';
import { payloadText } from './commands.ts';
import { createDuplicateFilter } from './duplicate-filter.ts';
import { createReplyCache } from './reply-cache.ts';
import { defaultRoot, discoveryPrefix, type Topics } from './topics.ts';

export interface RequestParts {
  clock: Pick<Clock, 'monotonic'>;
  topics: Topics;
  actions: readonly ActionDefinition[];
  runner: ActionRunner;
  isFresh(): boolean;
  publish(message: MqttMessage): void;
  complain(sentence: string): void;
}

const longest = 65_536;
const longestReply = 262_144;
/** A client chooses its correlation data, which is cached with the response. */
const longestCorrelation = 1024;
/** A small request may have a large response: limits the characters of all responses. */
const replyBudget = { most: 8 * longestReply, withinMs: 10_000 };

/** Runs an action as on the WebSocket: {"event","data"}, answered on the response topic with the correlation data. */
export function createRequestHandler(parts: RequestParts): (delivery: MqttDelivery) => Promise<void> {
  const { topics, runner, publish, complain, isFresh } = parts;
  const events = byEvent(parts.actions);
  const cached = createReplyCache();
  const hasRoom = createBudget(parts.clock, replyBudget);
  const isRepeated = createDuplicateFilter();

  const answer = async (delivery: MqttDelivery): Promise<string> => {
    try {
      const { event, data } = parseRequest(delivery.payload);
      const known = events.get(event);
      if (known === undefined)
        throw new ServiceError('invalid', `There is no event ${JSON.stringify(event.slice(0, 64))}`, {
          subtype: 'UNKNOWN_EVENT',
        });
      const result = await runner.perform(known.action, data);
      const text = jsonText({
        type: known.reply,
        subtype: 'NONE',
        data: result.data ?? null,
        message: result.message,
      });
      if (text.length > longestReply) throw new ServiceError('failed', 'The response is too long for a message');
      return text;
    } catch (thrown) {
      const error = toServiceError(thrown);
      complain(`mqtt: a request was refused: ${error.message}`);
      return jsonText({ type: 'ERROR', subtype: wireCodeOf(error), data: null, message: error.message });
    }
  };

  return async (delivery) => {
    const refuse = (why: string) => complain(`mqtt: a request was not answered: ${why}`);
    const { responseTopic, correlation } = delivery;
    if (delivery.retain) return refuse('it was retained, so it may be of any age');
    if (delivery.expiresAfter === 0) return refuse('it has expired');
    if (delivery.payload.length > longest) return refuse(`it is longer than ${longest} bytes`);
    if (correlation !== null && correlation.length > longestCorrelation)
      return refuse(`its correlation data is longer than ${longestCorrelation} bytes`);
    if (!isFresh()) return refuse('the machine slept meanwhile, so it may be of any age');
    if (responseTopic !== null && !isForOthers(responseTopic, topics))
      return refuse('its response topic is not allowed');
    const key = correlation === null ? null : keyOf(delivery, correlation);
    if (key === null && isRepeated(delivery)) return refuse('it was delivered twice');
    const payload = await (key === null ? answer(delivery) : cached(key, () => answer(delivery)));
    if (responseTopic === null) return;
    if (!hasRoom(payload.length)) return refuse('its response exceeds the byte budget of 10 s');
    const message: MqttMessage = {
      topic: responseTopic,
      payload,
      qos: 1,
      retain: false,
      contentType: 'application/json',
    };
    publish(correlation === null ? message : { ...message, correlation });
  };
}

/** With the payload: another request with the same correlation data is no repetition. */
function keyOf({ responseTopic, payload }: MqttDelivery, correlation: Uint8Array): string {
  const [id, print] = [Buffer.from(correlation), sha256(Buffer.from(payload))].map((bytes) => bytes.toString('base64'));
  return `${id} ${print} ${responseTopic}`;
}

/** The requester chooses the response topic: topics of Hostler and of Home Assistant are refused, because they are trusted. */
function isForOthers(topic: string, { root }: Topics): boolean {
  const isPlain = topic.length > 0 && topic.length <= 1024 && !/[#+]/.test(topic) && !topic.includes('\0');
  return (
    isPlain && ![`${root}/`, `${defaultRoot}/`, `${discoveryPrefix}/`, '$'].some((start) => topic.startsWith(start))
  );
}

function parseRequest(payload: Uint8Array): { event: string; data: Record<string, unknown> } {
  const text = payloadText(payload);
  let value: unknown = null;
  try {
    value = parseBoundedJson(text ?? '');
  } catch (cause) {
    if (cause instanceof CostlyJson) throw new ServiceError('invalid', cause.message);
    throw new ServiceError('invalid', 'The request is not JSON', { cause });
  }
  if (!isObject(value) || typeof value.event !== 'string')
    throw new ServiceError('invalid', 'A request is a JSON object with event and data');
  const { event, data } = value;
  if (data !== undefined && data !== null && !isObject(data))
    throw new ServiceError('invalid', 'data must be an object, or left out');
  return { event, data: isObject(data) ? data : {} };
}
