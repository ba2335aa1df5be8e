import type { Clock } from '@hostler/io/clock.ts';
import { createPacketSplitter } from './frames.ts';
import { MqttFlood } from './mqtt.ts';

export interface IntakeParts {
  clock: Pick<Clock, 'monotonic' | 'after'>;
  longestPacket: number;
  packet(bytes: Uint8Array): void;
  /** Stops and continues reading from the stream. */
  pause(): void;
  resume(): void;
  /** Called with errors of later turns. */
  failed(error: unknown): void;
}

/** Time for packets in one turn of the event loop. */
export const turnMs = 4;

/** Twice what 120 requests of 64 KiB need, and far above the rate of their packets. Packets of every type and reads count. */
export const flood = { packets: 20_000, bytes: 16 * 1024 * 1024, withinMs: 10_000 };

export type Intake = ReturnType<typeof createIntake>;

/** Handles received packets for a limited time per turn of the event loop. Bytes that arrive meanwhile stay in the system. */
export function createIntake({ clock, longestPacket, packet, pause, resume, failed }: IntakeParts) {
  const splitter = createPacketSplitter(longestPacket);
  const count = createFloodCounter(clock);
  /** null: no packet was handled in this turn. */
  let turnEnd: number | null = null;
  let isPaused = false;
  let isStopped = false;

  const handle = () => {
    turnEnd ??= beginTurn();
    for (let bytes = splitter.next(); bytes !== null && !isStopped; bytes = splitter.next()) {
      count(1, 0);
      packet(bytes);
      if (clock.monotonic() < turnEnd) continue;
      isPaused = true;
      return pause();
    }
    if (isPaused) resume();
    isPaused = false;
  };

  const beginTurn = (): number => {
    clock.after(0, () => {
      turnEnd = null;
      if (!isPaused || isStopped) return;
      try {
        handle();
      } catch (error) {
        failed(error);
      }
    });
    return clock.monotonic() + turnMs;
  };

  return {
    /** Throws what the handler throws, and MqttFlood when the broker sends more than an honest one does. */
    add(bytes: Uint8Array) {
      if (isStopped) return;
      count(1, bytes.length);
      splitter.add(bytes);
      if (!isPaused) handle();
    },
    stop() {
      isStopped = true;
    },
  };
}

/** In windows of fixed length. */
function createFloodCounter(clock: Pick<Clock, 'monotonic'>): (packets: number, bytes: number) => void {
  let since = clock.monotonic();
  let left = { ...flood };
  return (packets, bytes) => {
    const now = clock.monotonic();
    if (now - since >= flood.withinMs) {
      since = now;
      left = { ...flood };
    }
    left.packets -= packets;
    left.bytes -= bytes;
    if (left.packets < 0 || left.bytes < 0) throw new MqttFlood();
  };
}
