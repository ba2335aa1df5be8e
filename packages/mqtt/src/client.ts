import type { Clock } from '@hostler/io/clock.ts';
import type { MqttDelivery, MqttLink, MqttLinkEvents, MqttLinkOptions, MqttVersion } from './mqtt.ts';
import { MqttFlood, MqttRefusal } from './mqtt.ts';

/** Keeps a connection to a broker: reconnects after a pause that grows, with jitter. */
export interface MqttClient {
  link(): MqttLink | null;
  /** Reconnects at once with a new session. */
  restart(): void;
  /** Disconnects for good. */
  close(): void;
}

export interface MqttClientParts {
  clock: Clock;
  /** 0 to 1, as Math.random. */
  random(): number;
  open(options: Pick<MqttLinkOptions, 'version' | 'clean'>, events: MqttLinkEvents): Promise<MqttLink>;
}

export interface MqttClientEvents {
  connected(link: MqttLink): void;
  /** Called with the topic before a message is decoded. False: it is dropped. */
  accepts(topic: string): boolean;
  message(delivery: MqttDelivery): void;
  /** An attempt failed, or a connection ended; `retryMs` is when the next attempt is made. */
  lost(sentence: string, retryMs: number): void;
}

const firstPauseMs = 4000;
const longestPauseMs = 120_000;
const shortestPauseMs = 1000;
/** A connection that lasted this long resets the pause. */
const goodAfterMs = 30_000;
/** The same for a connection that ended by a flood: a broker that begins it later gains no shorter pause. */
const goodBeforeFloodMs = 600_000;

export function startClient({ clock, random, open }: MqttClientParts, events: MqttClientEvents): MqttClient {
  let version: MqttVersion = 5;
  /** The broker refused version 5 explicitly. */
  let isFiveRefused = false;
  let failures = 0;
  let clean = true;
  let closed = false;
  let current: MqttLink | null = null;
  let cancelRetry = () => {};
  /** Incremented by each restart; results of earlier rounds are ignored. */
  let round = 0;

  const retry = (error: unknown, atOnce = false) => {
    const isHopeless = error instanceof MqttRefusal && error.kind === 'credentials';
    const most = isHopeless ? longestPauseMs : Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    const pause = atOnce ? 0 : shortestPauseMs + random() * (most - shortestPauseMs);
    failures++;
    events.lost(error instanceof Error ? error.message : String(error), pause);
    cancelRetry = clock.after(pause, () => void attempt());
  };

  const attempt = async () => {
    const own = round;
    const wasSpoken = version;
    let openedAt = 0;
    try {
      const link = await open(
        { version, clean },
        {
          accepts: (topic) => own === round && events.accepts(topic),
          message: (delivery) => {
            if (own === round) events.message(delivery);
          },
          closed(error) {
            if (own !== round) return;
            current = null;
            const goodMs = error instanceof MqttFlood ? goodBeforeFloodMs : goodAfterMs;
            if (clock.monotonic() - openedAt >= goodMs) failures = 0;
            version = isFiveRefused ? 4 : 5;
            retry(error);
          },
        },
      );
      if (own !== round) return link.close();
      openedAt = clock.monotonic();
      // A soon reconnection resumes the session: the will is not published in between.
      clean = false;
      current = link;
      events.connected(link);
    } catch (error) {
      if (own !== round) return;
      const kind = error instanceof MqttRefusal ? error.kind : null;
      if (kind === 'version') isFiveRefused = wasSpoken === 5;
      // Some brokers report it, some close the connection silently, as a broker that is starting does.
      version = isFiveRefused || (kind === 'silent' && wasSpoken === 5) ? 4 : 5;
      retry(error, kind === 'version' && wasSpoken === 5);
    }
  };

  const leave = () => {
    round++;
    cancelRetry();
    current?.close();
    current = null;
  };

  void attempt();
  return {
    link: () => current,
    restart() {
      if (closed) return;
      leave();
      clean = true;
      failures = 0;
      void attempt();
    },
    close() {
      closed = true;
      leave();
    },
  };
}
