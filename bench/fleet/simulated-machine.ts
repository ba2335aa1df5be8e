import { startClient } from '@hostler/mqtt/client.ts';
import { openLink } from '@hostler/mqtt/link.ts';
import { openStream } from '../../src/host/outgoing.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { RecordedMessage, Recording } from './recording.ts';

/** What all of them together have done. */
export interface Tally {
  messages: number;
  bytes: number;
  connected: number;
  /** On the clock of `performance.now()`. */
  connectedAt: number[];
}

/** A client that says what a real machine says, by the code that a real one runs. Returns the way to end it. */
export function startMachine(
  port: number,
  id: string,
  { greeting, steady, periodMs }: Recording,
  clock: Clock,
  tally: Tally,
) {
  const base = `hostler/${id}`;
  const willTopic = `${base}/availability`;
  const target = { host: '127.0.0.1', port, tls: null, webSocket: null };
  let timers: (() => void)[] = [];
  const stop = () => {
    for (const cancel of timers) cancel();
    timers = [];
  };
  const client = startClient(
    {
      clock,
      random: Math.random,
      open: ({ version, clean }, events) =>
        openLink(
          { clock, open: (stream) => openStream(target, stream, 20_000) },
          {
            version,
            clean,
            clientId: `hostler-${id}`,
            username: null,
            password: null,
            keepAliveSeconds: 60,
            will: { topic: willTopic, payload: 'offline', delaySeconds: 10 },
            longestPacket: 131_072,
            patienceMs: 20_000,
          },
          events,
        ),
    },
    {
      accepts: () => true,
      connected(link) {
        tally.connected++;
        tally.connectedAt.push(performance.now());
        const say = ({ topic, payload }: RecordedMessage) => {
          const message = {
            topic: topic.replaceAll('{id}', id),
            payload,
            qos: /^homeassistant|availability$|power_state$/.test(topic) ? 1 : 0,
            retain: !topic.includes('/event/'),
          } as const;
          tally.messages++;
          tally.bytes += topic.length + payload.length;
          link.publish(message).catch(() => {});
        };
        link.subscribe([`${base}/request`, `${base}/command/+`, 'homeassistant/status']).catch(() => {});
        for (const message of greeting) say(message);
        const round = () => {
          timers = steady.map((message) => clock.after(message.at, () => say(message)));
          timers.push(clock.after(periodMs, round));
        };
        // Start times are spread.
        timers.push(clock.after(Math.random() * periodMs, round));
      },
      message: () => {},
      lost() {
        if (timers.length > 0) tally.connected--;
        stop();
      },
    },
  );
  return () => {
    stop();
    client.close();
  };
}
