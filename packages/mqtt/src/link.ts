import type { ByteStream } from '@hostler/io/byte-stream.ts';
import type { Clock } from '@hostler/io/clock.ts';
import { decodePacket, decodePublishStart } from './decode.ts';
import { encodePacket } from './encode.ts';
import { createIntake, type Intake } from './link.intake.ts';
import { type Limits, limitsOf } from './link.limits.ts';
import { connectRefusal, whyRefused } from './link.reasons.ts';
import { createUnacknowledged, type Unacknowledged } from './link.unacknowledged.ts';
import type { MqttDelivery, MqttLink, MqttLinkEvents, MqttLinkOptions, MqttLinkParts } from './mqtt.ts';
import { MqttRefusal } from './mqtt.ts';
import type { ConnectPacket, DeliveredPacket, IncomingPacket, OutgoingPacket } from './packets.ts';

/** One connection: resolves when the broker has accepted it. */
export async function openLink(
  { clock, open }: MqttLinkParts,
  options: MqttLinkOptions,
  events: MqttLinkEvents,
): Promise<MqttLink> {
  const state: State = {
    phase: 'connecting',
    clock,
    options,
    events,
    accepted: Promise.withResolvers(),
    unacknowledged: createUnacknowledged(),
    stream: null,
    intake: createIntake({
      clock,
      longestPacket: options.longestPacket,
      packet: (bytes) => receive(state, bytes),
      pause: () => state.stream?.pause(),
      resume: () => state.stream?.resume(),
      failed: (error) => end(state, errorOf(error)),
    }),
    limits: null,
    cancelTimer: () => {},
    unread: 0,
  };
  // The connection can end before it is awaited, while the stream is still being opened.
  state.accepted.promise.catch(() => {});
  state.stream = await open({
    data: (bytes) => guarded(state, () => state.intake.add(bytes)),
    closed: (error) =>
      end(state, state.phase === 'connecting' ? silence() : (error ?? new Error('The broker closed the connection'))),
  });
  expectWithin(state, 'accept the connection');
  guarded(state, () => send(state, connectPacket(options)));
  return linkOf(state, await state.accepted.promise);
}

interface State {
  phase: 'connecting' | 'open' | 'ended';
  readonly clock: Clock;
  readonly options: MqttLinkOptions;
  readonly events: MqttLinkEvents;
  readonly accepted: PromiseWithResolvers<Limits>;
  readonly unacknowledged: Unacknowledged;
  stream: ByteStream | null;
  readonly intake: Intake;
  limits: Limits | null;
  cancelTimer: () => void;
  /** Acknowledgements since the send buffer was last empty. */
  unread: number;
}

function linkOf(state: State, limits: Limits): MqttLink {
  const { options, unacknowledged } = state;
  const sendBounded = (packet: OutgoingPacket) => {
    const bytes = encodePacket(packet, options.version);
    if (bytes.length > limits.longestPacket)
      throw new Error(
        `A message of ${bytes.length} bytes exceeds the ${limits.longestPacket} bytes that the broker accepts`,
      );
    state.stream?.send(bytes);
  };
  return {
    version: options.version,
    async publish(message) {
      if (state.phase !== 'open') throw closed();
      const packet = { ...message, type: 'publish', retain: message.retain && limits.retainAvailable } as const;
      if (message.qos === 0 || limits.highestQos === 0) return sendBounded({ ...packet, packetId: null });
      const { length } = message.payload;
      await unacknowledged.add(limits.inFlight, length, (packetId) => sendBounded({ ...packet, packetId }));
    },
    async subscribe(filters) {
      if (state.phase !== 'open') throw closed();
      await unacknowledged.add(limits.inFlight, 0, (packetId) => sendBounded({ type: 'subscribe', packetId, filters }));
    },
    waiting: () => state.stream?.waiting() ?? 0,
    close() {
      if (state.phase !== 'ended') guarded(state, () => send(state, { type: 'disconnect' }));
      state.phase = 'ended';
      state.cancelTimer();
      state.intake.stop();
      unacknowledged.fail(new Error('The connection to the broker was closed'));
      state.stream?.close();
    },
  };
}

function send({ stream, options }: State, packet: OutgoingPacket): void {
  stream?.send(encodePacket(packet, options.version));
}

function end(state: State, error: Error): void {
  const { phase } = state;
  if (phase === 'ended') return;
  state.phase = 'ended';
  state.cancelTimer();
  state.intake.stop();
  state.stream?.close();
  state.unacknowledged.fail(error);
  if (phase === 'connecting') state.accepted.reject(error);
  else state.events.closed(error);
}

/** A protocol error of the broker ends this connection only. */
function guarded(state: State, work: () => void): void {
  try {
    work();
  } catch (error) {
    end(state, errorOf(error));
  }
}

const errorOf = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

function expectWithin(state: State, what: string): void {
  const { patienceMs } = state.options;
  state.cancelTimer();
  state.cancelTimer = state.clock.after(patienceMs, () =>
    end(state, new Error(`The broker did not ${what} within ${patienceMs / 1000} s`)),
  );
}

function keepAlive(state: State): void {
  const everyMs = ((state.limits?.keepAliveSeconds ?? state.options.keepAliveSeconds) * 1000) / 2;
  state.cancelTimer();
  state.cancelTimer = state.clock.after(everyMs, () =>
    guarded(state, () => {
      send(state, { type: 'pingreq' });
      expectWithin(state, 'answer a ping');
    }),
  );
}

function receiveFirst(state: State, packet: IncomingPacket): void {
  if (packet.type !== 'connack') throw new Error(`The broker sent ${packet.type} instead of connack`);
  const refusal = connectRefusal(packet, state.options.version);
  if (refusal !== null) return end(state, refusal);
  state.limits = limitsOf(packet, state.options);
  state.phase = 'open';
  keepAlive(state);
  state.accepted.resolve(state.limits);
}

/** A broker that sends and does not read would make us buffer an acknowledgement for each message. */
function acknowledge(state: State, packetId: number): void {
  state.unread = state.stream?.waiting() === 0 ? 0 : state.unread + 1;
  if (state.unread > mostUnread) throw new Error('The broker sends messages and does not read their acknowledgements');
  send(state, { type: 'puback', packetId });
}

function receive(state: State, bytes: Uint8Array): void {
  const { phase, options, events } = state;
  if (phase === 'ended') return;
  if (phase === 'connecting') return receiveFirst(state, read(bytes, options));
  const start = decodePublishStart(bytes);
  // Before the callback: a repeated delivery is worse than a lost one.
  if (start !== null && start.packetId !== null) acknowledge(state, start.packetId);
  if (start === null || events.accepts(start.topic)) receiveRest(state, read(bytes, options));
}

/** A broker may repeat what it received: its reasons are logged, and shown to others. */
function read(bytes: Uint8Array, { version, username, password }: MqttLinkOptions): IncomingPacket {
  const packet = decodePacket(bytes, version);
  if (!('reason' in packet) || packet.reason === null) return packet;
  const secrets = [password, username].filter((secret) => secret !== null && secret.length >= 4) as string[];
  return { ...packet, reason: secrets.reduce((shown, secret) => shown.replaceAll(secret, '…'), packet.reason) };
}

function receiveRest(state: State, packet: IncomingPacket): void {
  switch (packet.type) {
    case 'publish':
      return state.events.message(deliveryOf(packet));
    case 'puback':
      return state.unacknowledged.settle(packet.packetId, whyRefused(packet.code, packet.reason));
    case 'suback': {
      const wrong = packet.codes.find((code) => code >= 0x80);
      return state.unacknowledged.settle(packet.packetId, whyRefused(wrong ?? 0, packet.reason));
    }
    case 'pingresp':
      return keepAlive(state);
    case 'disconnect': {
      const why = whyRefused(packet.code, packet.reason) ?? 'it gave no reason';
      return end(state, new Error(`The broker ended the connection: ${why}`));
    }
    default:
      throw new Error(`The broker sent ${packet.type}, which was not requested`);
  }
}

const closed = () => new Error('The connection to the broker is closed');
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
