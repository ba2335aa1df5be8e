import { describe, expect, test } from 'bun:test';
import { fakeNetlink, type Message, socketMessage } from '../../../test/fake-netlink.ts';
import type { InetSocket } from './inet-socket.ts';
import { NetlinkError } from './netlink.ts';
import { createSockDiag, type SockDiag } from './sock-diag.ts';

const both = 18;
const oneFamily = 20;

function read(diag: SockDiag, type: 1 | 2, most = 1000): InetSocket[] {
  const steps = diag.read(type, most);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function tableOf(messages: () => Message[]): SockDiag {
  return createSockDiag(fakeNetlink((type) => (type === both ? [messages()] : [])));
}

const six = (...last: number[]) => [...Array<number>(16 - last.length).fill(0), ...last];

test('TCP of both families is one question', () => {
  const asked: number[] = [];
  const diag = createSockDiag(
    fakeNetlink((type) => {
      asked.push(type);
      return [
        [socketMessage({ state: 10, localPort: 22, local: [0, 0, 0, 0], inode: 7, uid: 1000, cookie: 1n })],
        [socketMessage({ family: 10, localPort: 443, remotePort: 5000, local: six(1), remote: six(2), cookie: 2n })],
      ];
    }),
  );
  expect(read(diag, 1)).toEqual([
    { family: 2, type: 1, local: '0.0.0.0:22', remote: null, status: 'LISTEN', inode: 7, uid: 1000 },
    { family: 10, type: 1, local: '[::1]:443', remote: '[::2]:5000', status: 'ESTABLISHED', inode: 0, uid: 0 },
  ]);
  expect(asked).toEqual([both]);
});

test('a kernel that no longer knows that question is asked for one family after the other, from then on', () => {
  const asked: string[] = [];
  const diag = createSockDiag(
    fakeNetlink((type, body) => {
      asked.push(type === both ? 'both' : `${body[0]}`);
      if (type === both) throw new NetlinkError(22);
      return [[socketMessage({ family: body[0] ?? 0, cookie: BigInt(body[0] ?? 0) })]];
    }),
  );
  expect(read(diag, 1).map(({ family }) => family)).toEqual([2, 10]);
  expect(read(diag, 1).map(({ family }) => family)).toEqual([2, 10]);
  expect(asked).toEqual(['both', '2', '10', '2', '10']);
});

test('UDP has no states', () => {
  const kernel = fakeNetlink((_type, body) =>
    body[0] === 2
      ? [[socketMessage({ state: 7, localPort: 53 }), socketMessage({ state: 1, remotePort: 53, cookie: 2n })]]
      : [],
  );
  expect(read(createSockDiag(kernel), 2).map(({ type, status }) => `${type} ${status}`)).toEqual(['2 NONE', '2 NONE']);
});

test('a kernel without IPv6 has the sockets of IPv4', () => {
  const kernel = fakeNetlink((_type, body) => {
    if (body[0] === 10) throw new NetlinkError(2);
    return [[socketMessage({ localPort: 53 })]];
  });
  expect(read(createSockDiag(kernel), 2).map(({ local }) => local)).toEqual(['127.0.0.1:53']);
});

test('a kernel without the table says so, and the next question begins anew', () => {
  const kernel = fakeNetlink(() => {
    throw new NetlinkError(2);
  });
  expect(() => read(createSockDiag(kernel), 2)).toThrow('error 2');
  expect(kernel.opened()).toBe(0);
});

describe('a socket that was there before', () => {
  test('is the same object while nothing about it changes', () => {
    const diag = tableOf(() => [socketMessage({ cookie: 5n, inode: 9 }), socketMessage({ cookie: 6n })]);
    const [first, second] = read(diag, 1);
    const [again, secondAgain] = read(diag, 1);
    expect(again === first).toBe(true);
    expect(secondAgain === second).toBe(true);
  });

  test.each<[string, Parameters<typeof socketMessage>[0]]>([
    ['its state', { state: 8 }],
    ['its port', { localPort: 81 }],
    ['its peer', { remote: [10, 0, 0, 1], remotePort: 5 }],
    ['its inode', { inode: 77 }],
    ['who it is', { cookie: 2n ** 40n }],
  ])('is another one when %s changes', (_what, change) => {
    let current = socketMessage({});
    const diag = tableOf(() => [current]);
    const [before] = read(diag, 1);
    current = socketMessage(change);
    const [after] = read(diag, 1);
    expect(after === before).toBe(false);
  });

  test('is forgotten when it is gone', () => {
    let messages = [socketMessage({ state: 10 })];
    const diag = tableOf(() => messages);
    const [before] = read(diag, 1);
    messages = [];
    expect(read(diag, 1)).toEqual([]);
    messages = [socketMessage({ state: 10 })];
    const [after] = read(diag, 1);
    expect(after).toEqual(before);
    expect(after === before).toBe(false);
  });
});

test('no more than were asked for are taken, and the rest of the answer is thrown away', () => {
  let pieces = 0;
  const kernel = fakeNetlink(() =>
    Array.from({ length: 100 }, (_value, piece) => [
      {
        get type() {
          pieces += 1;
          return oneFamily;
        },
        ...{ body: socketMessage({ cookie: BigInt(piece) }).body },
      },
    ]),
  );
  expect(read(createSockDiag(kernel), 1, 5)).toHaveLength(5);
  expect(pieces).toBe(5);
  expect(kernel.opened()).toBe(0);
});
