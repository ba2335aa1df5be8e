import type { X11 } from './connection.ts';
import { eventKind, x11Words } from './protocol.ts';

/** Idle time of keyboard and pointer, by the counter IDLETIME. https://www.x.org/releases/X11R7.7/doc/xextproto/sync.html */
export interface X11Idle {
  now(): Promise<number>;
  /** Requests events, recognised by `direction`, when the idle time crosses this mark in either direction. */
  mark(ms: number): void;
  /** The direction in which an event reports that the mark was crossed; null: another event. */
  direction(event: Buffer): 'idle' | 'used' | null;
}

const initialize = 0;
const listSystemCounters = 1;
const queryCounter = 5;
const createAlarm = 8;
const alarmNotify = 1;
const [positiveTransition, negativeTransition] = [0, 1];
/** Counter, type of the value, value, test, delta and whether events are wanted. */
const everything = 0b111111;

/** null: the server does not have the counter. */
export async function openIdle(x11: X11): Promise<X11Idle | null> {
  const extension = await x11.extension('SYNC');
  if (extension === null) return null;
  const { opcode } = extension;
  await x11.ask(opcode, initialize, Buffer.from([3, 1, 0, 0]));
  const counter = findCounter(await x11.ask(opcode, listSystemCounters), 'IDLETIME');
  if (counter === null) return null;
  const [passed, returned] = [x11.firstId, x11.firstId + 1];
  const alarm = (id: number, test: number, ms: number) =>
    x11.send(opcode, createAlarm, x11Words(id, everything, counter, 0, Math.floor(ms / 2 ** 32), ms, test, 0, 0, 1));
  return {
    async now() {
      const reply = await x11.ask(opcode, queryCounter, x11Words(counter));
      return reply.readInt32LE(8) * 2 ** 32 + reply.readUInt32LE(12);
    },
    mark(ms) {
      alarm(passed, positiveTransition, ms);
      // Just below it: the counter restarts at 0.
      alarm(returned, negativeTransition, Math.max(1, ms - 1));
    },
    direction(event) {
      if (eventKind(event) !== extension.firstEvent + alarmNotify) return null;
      const id = event.readUInt32LE(4);
      if (id === passed) return 'idle';
      return id === returned ? 'used' : null;
    },
  };
}

/** Of each: its number, its resolution in two words, and its name with the length before it, up to a whole word. */
function findCounter(reply: Buffer, wanted: string): number | null {
  const count = reply.readUInt32LE(8);
  let at = 32;
  for (let index = 0; index < count && at + 14 <= reply.length; index++) {
    const length = reply.readUInt16LE(at + 12);
    if (reply.toString('latin1', at + 14, at + 14 + length) === wanted) return reply.readUInt32LE(at);
    at += (14 + length + 3) & ~3;
  }
  return null;
}
