import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { decodeValues, encodeU32 } from '../tagstruct.ts';

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
  /** Commands are received but not answered. */
  silence(is: boolean): void;
  /** Answers this command with an error; null: stops doing so. */
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

/** A message that carries these values. */
export function frame(...values: Uint8Array[]): Uint8Array {
  const content = Buffer.concat(values);
  const header = Buffer.alloc(20);
  header.writeUInt32BE(content.length, 0);
  header.writeUInt32BE(0xffff_ffff, 4);
  return Buffer.concat([header, content]);
}

/** A server that sends the next of these answers for each packet it receives, in pieces of some bytes. */
export function replying(answers: Uint8Array[], pieceBytes = 4096): ConnectLocal {
  return async (_path, events: LocalSocketEvents) => {
    let sent = 0;
    return {
      send() {
        const answer = answers[sent++] ?? new Uint8Array();
        queueMicrotask(() => {
          for (let at = 0; at < answer.length; at += pieceBytes) events.data(answer.subarray(at, at + pieceBytes));
        });
      },
      close: () => {},
    };
  };
}
