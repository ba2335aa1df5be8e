import type { ByteStream } from '@hostler/io/byte-stream.ts';
import { decodePacket } from './decode.ts';
import { encodePacket } from './encode.ts';
import { createPacketSplitter } from './frames.ts';
import { type Limits, limitsOf } from './link.limits.ts';
import { connectRefusal, whyRefused } from './link.reasons.ts';
import { createUnacknowledged } from './link.unacknowledged.ts';
import type { MqttDelivery, MqttLink, MqttLinkEvents, MqttLinkOptions, MqttLinkParts, MqttMessage } from './mqtt.ts';
import { MqttRefusal } from './mqtt.ts';
import type { ConnectPacket, DeliveredPacket, IncomingPacket, OutgoingPacket } from './packets.ts';

/** One connection: resolves when the broker has accepted it. */
export async function openLink(
  { clock, open }: MqttLinkParts,
  options: MqttLinkOptions,
  events: MqttLinkEvents,
): Promise<MqttLink> {
  const accepted = Promise.withResolvers<Limits>();
  // The connection can end before it is awaited, while the stream is still being opened.
  accepted.promise.catch(() => {});
  const unacknowledged = createUnacknowledged();
  let stream: ByteStream | null = null;
  let state: 'greeting' | 'open' | 'over' = 'greeting';
  let cancelTimer = () => {};
  /** Acknowledgements since the send buffer was last empty. */
  let unread = 0;

  const send = (packet: OutgoingPacket) => stream?.send(encodePacket(packet, options.version));

  const end = (error: Error) => {
    if (state === 'over') return;
    const before = state;
    state = 'over';
    cancelTimer();
    stream?.close();
    unacknowledged.fail(error);
    if (before === 'greeting') accepted.reject(error);
    else events.closed(error);
  };

  /** A protocol error of the broker ends this connection only. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
  };

  const expectWithin = (what: string) => {
    cancelTimer();
    cancelTimer = clock.after(options.patienceMs, () =>
      end(new Error(`The broker did not ${what} within ${options.patienceMs / 1000} s`)),
    );
  };

  const keepAlive = (everyMs: number) => {
    cancelTimer = clock.after(everyMs, () =>
      guarded(() => {
        send({ type: 'pingreq' });
        expectWithin('answer a ping');
      }),
    );
  };

  let limits: Limits | null = null;
  const pauseMs = () => ((limits?.keepAliveSeconds ?? options.keepAliveSeconds) * 1000) / 2;

  const greet = (packet: IncomingPacket) => {
    if (packet.type !== 'connack') throw new Error(`The broker began with ${packet.type} instead of an answer`);
    const refusal = connectRefusal(packet, options.version);
    if (refusal !== null) return end(refusal);
    limits = limitsOf(packet, options);
    state = 'open';
    cancelTimer();
    keepAlive(pauseMs());
    accepted.resolve(limits);
  };

  /** A broker that sends and does not read would make us buffer an acknowledgement for each message. */
  const acknowledge = (packetId: number) => {
    unread = stream?.waiting() === 0 ? 0 : unread + 1;
    if (unread > mostUnread) throw new Error('The broker sends messages and does not read their acknowledgements');
    send({ type: 'puback', packetId });
  };

  const take = (packet: IncomingPacket) => {
    if (state === 'over') return;
    if (state === 'greeting') return greet(packet);
    switch (packet.type) {
      case 'publish':
        // Before the callback: a repeated delivery is worse than a lost one.
        if (packet.packetId !== null) acknowledge(packet.packetId);
        return events.message(deliveryOf(packet));
      case 'puback':
        return unacknowledged.settle(packet.packetId, whyRefused(packet.code, packet.reason));
      case 'suback': {
        const wrong = packet.codes.find((code) => code >= 0x80);
        return unacknowledged.settle(packet.packetId, whyRefused(wrong ?? 0, packet.reason));
      }
      case 'pingresp':
        cancelTimer();
        return keepAlive(pauseMs());
      case 'disconnect': {
        const why = whyRefused(packet.code, packet.reason) ?? 'it gave no reason';
        return end(new Error(`The broker ended the connection: ${why}`));
      }
      default:
        throw new Error(`The broker sent ${packet.type}, which was not requested`);
    }
  };

  const split = createPacketSplitter(options.longestPacket, (bytes) => take(decodePacket(bytes, options.version)));
  stream = await open({
    data: (bytes) => guarded(() => split(bytes)),
    closed: (error) => end(state === 'greeting' ? silence() : (error ?? new Error('The broker closed the connection'))),
  });
  expectWithin('accept the connection');
  guarded(() => send(connectPacket(options)));
  const given = await accepted.promise;

  const publish = async (message: MqttMessage): Promise<void> => {
    if (state !== 'open') throw new Error('The connection to the broker is closed');
    const packet = { ...message, type: 'publish', retain: message.retain && given.retainAvailable } as const;
    if (message.qos === 0 || given.highestQos === 0) return sendBounded({ ...packet, packetId: null });
    const { length } = message.payload;
    return await unacknowledged.add(given.inFlight, length, (packetId) => sendBounded({ ...packet, packetId }));
  };

  const sendBounded = (packet: OutgoingPacket) => {
    const bytes = encodePacket(packet, options.version);
    if (bytes.length > given.longestPacket)
      throw new Error(`A message of ${bytes.length} bytes is longer than the ${given.longestPacket} the broker takes`);
    stream?.send(bytes);
  };

  return {
    version: options.version,
    publish,
    async subscribe(filters) {
      if (state !== 'open') throw new Error('The connection to the broker is closed');
      await unacknowledged.add(given.inFlight, 0, (packetId) => sendBounded({ type: 'subscribe', packetId, filters }));
    },
    waiting: () => stream?.waiting() ?? 0,
    close() {
      if (state !== 'over') guarded(() => send({ type: 'disconnect' }));
      state = 'over';
      cancelTimer();
      unacknowledged.fail(new Error('The connection to the broker was closed'));
      stream?.close();
    },
  };
}

const silence = () => new MqttRefusal('silent', 'The broker closed the connection without an answer');

/** Longer than the will delay, or the will would be published at once. Short, so that nothing old is delivered. */
const sessionMarginSeconds = 10;

/** Above the number of messages in one read: nothing is written during one. */
const mostUnread = 20_000;

/** Messages of QoS 1 that may be on their way to us. */
const receiveMaximum = 20;

function connectPacket({ patienceMs: _patienceMs, ...options }: MqttLinkOptions): ConnectPacket {
  return {
    type: 'connect',
    ...options,
    // Version 3.1.1 has no session expiry: use a clean session.
    clean: options.clean || options.version !== 5,
    sessionSeconds: options.will.delaySeconds + sessionMarginSeconds,
    receiveMaximum,
  };
}

/** Copies: the buffer of the packet is reused. */
function deliveryOf({ type: _type, qos: _qos, payload, correlation, ...packet }: DeliveredPacket): MqttDelivery {
  return { ...packet, payload: payload.slice(), correlation: correlation?.slice() ?? null };
}
