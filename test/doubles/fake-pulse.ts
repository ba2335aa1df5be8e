import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { decodeValues, encodeU32 } from '@hostler/pulseaudio/tagstruct.ts';
import type { PulseHost } from '../../src/host/linux/sound/pulse.ts';
import { type FakeClock, fakeHost } from './fake-host.ts';

const AUTH = 8;
const SUBSCRIBE_EVENT = 66;
const ERROR = 0;
const REPLY = 2;

/** A sound server without devices that answers every command. */
export interface FakePulse {
  connectLocal: ConnectLocal;
  /** How often a command was sent. */
  asked(command: number): number;
  /** How many connections there were, and how many there are. */
  connections(): number;
  open(): number;
  announce(): void;
  hangUp(): void;
  /** Commands are heard, and not answered. */
  silence(is: boolean): void;
  /** Answers this command with an error; null: none any more. */
  refuse(command: number | null): void;
}

export function fakePulse(): FakePulse {
  const sockets = new Set<LocalSocketEvents>();
  const commands: unknown[] = [];
  let connections = 0;
  let silent = false;
  let refused: number | null = null;
  const event = frame(encodeU32(SUBSCRIBE_EVENT), encodeU32(0xffff_ffff), encodeU32(0x1), encodeU32(7));
  return {
    async connectLocal(_path, events) {
      connections += 1;
      sockets.add(events);
      return {
        send(bytes) {
          const [command, tag] = decodeValues(bytes.subarray(20));
          commands.push(command);
          if (silent) return;
          const reply = command === refused ? [ERROR, Number(tag), 4] : [REPLY, Number(tag)];
          if (command === AUTH) reply.push(35);
          queueMicrotask(() => events.data(frame(...reply.map(encodeU32))));
        },
        close: () => void sockets.delete(events),
      };
    },
    asked: (wanted) => commands.filter((command) => command === wanted).length,
    connections: () => connections,
    open: () => sockets.size,
    announce() {
      for (const events of sockets) events.data(event);
    },
    hangUp() {
      for (const events of sockets) events.closed(null);
      sockets.clear();
    },
    silence(is) {
      silent = is;
    },
    refuse(command) {
      refused = command;
    },
  };
}

export function pulseHost(connectLocal: ConnectLocal, clock: FakeClock): PulseHost {
  const { environment } = fakeHost();
  const { files } = fakeHost({ root: '/nonexistent' });
  return { connectLocal, environment, clock, files, paths: { config: '/c', state: '/s', runtime: '/r' } };
}

/** A message that carries these values. */
export function frame(...values: Uint8Array[]): Uint8Array {
  const content = Buffer.concat(values);
  const header = Buffer.alloc(20);
  header.writeUInt32BE(content.length, 0);
  header.writeUInt32BE(0xffff_ffff, 4);
  return Buffer.concat([header, content]);
}
