import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';

/** A setup reply that accepts the client: vendor "x", no formats, one screen with root window 77. */
export function welcome(): Buffer {
  const greeting = Buffer.alloc(40 + 4 + 40);
  greeting[0] = 1;
  greeting.writeUInt16LE((greeting.length - 8) / 4, 6);
  greeting.writeUInt16LE(1, 24);
  greeting.writeUInt16LE(65_535, 26);
  greeting.writeUInt8(8, 34);
  greeting.writeUInt8(255, 35);
  greeting.writeUInt32LE(77, 44);
  return greeting;
}

export function refusal(): Buffer {
  const text = 'No protocol specified\n'.padEnd(24);
  const bytes = Buffer.alloc(8 + text.length);
  bytes[1] = 22;
  bytes.writeUInt16LE(text.length / 4, 6);
  bytes.write(text, 8);
  return bytes;
}

/** An X server that sends one of these answers for each packet it receives. */
export function fakeServer(...answers: Buffer[]) {
  const received: Buffer[] = [];
  let events: LocalSocketEvents | null = null;
  let closed = 0;
  const connect: ConnectLocal = async (_path, given) => {
    events = given;
    return {
      send(bytes) {
        received.push(Buffer.from(bytes));
        const answer = answers.shift();
        // In two pieces: a stream has no message boundaries.
        if (answer !== undefined) {
          queueMicrotask(() => {
            given.data(answer.subarray(0, 5));
            given.data(answer.subarray(5));
          });
        }
      },
      close: () => void closed++,
    };
  };
  return {
    connect,
    received,
    send: (bytes: Buffer) => events?.data(bytes),
    end: () => events?.closed(null),
    closed: () => closed,
  };
}

/** An entry of an Xauthority file. */
export const authorityEntry = (family: number, address: string, number: string, name: string, data: string) =>
  Buffer.concat([Buffer.from([family >> 8, family & 0xff]), ...[address, number, name, data].map(counted)]);

const counted = (bytes: string) => Buffer.concat([Buffer.from([0, bytes.length]), Buffer.from(bytes, 'latin1')]);
