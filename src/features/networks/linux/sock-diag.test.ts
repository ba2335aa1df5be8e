import { describe, expect, test } from 'bun:test';
import type { InetSocket } from '@hostler/netlink/inet-socket.ts';
import { type Netlink, NetlinkError } from '@hostler/netlink/netlink.ts';
import { fakeNetlink, type Message, socketMessage } from '@hostler/netlink/testing/fake-netlink.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { createSockDiag } from './sock-diag.ts';

type SockDiag = ReturnType<typeof createSockDiag>;

/** A machine where every dump is fast. */
const open = (netlink: Netlink) => createSockDiag(netlink, machineFiles({}), () => 0);

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
  return open(fakeNetlink((type) => (type === both ? [messages()] : [])));
}

const six = (...last: number[]) => [...Array<number>(16 - last.length).fill(0), ...last];

test('TCP of both families is one request', () => {
  const asked: number[] = [];
  const diag = open(
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

test('a kernel that rejects this request gets one for each family from then on', () => {
  const asked: string[] = [];
  const diag = open(
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

test('UDP is not requested while the kernel counts no sockets, and again when there is one', () => {
  const files = machineFiles({ '/proc/net/sockstat': 'UDP: inuse 0 mem 0\n' });
  let asked = 0;
  const netlink = fakeNetlink((_type, body) => {
    asked += 1;
    return [body[0] === 2 ? [socketMessage({ localPort: 53, cookie: 1n })] : []];
  });
  const diag = createSockDiag(netlink, files, () => 0);
  expect(read(diag, 2)).toEqual([]);
  expect(asked).toBe(0);
  files.write('/proc/net/sockstat', 'UDP: inuse 1 mem 0\n');
  expect(read(diag, 2)).toHaveLength(1);
  expect(asked).toBe(2);
  files.write('/proc/net/sockstat', 'UDP: inuse 0 mem 0\n');
  expect(read(diag, 2)).toEqual([]);
});

test('UDP has no states', () => {
  const kernel = fakeNetlink((_type, body) =>
    body[0] === 2
      ? [[socketMessage({ state: 7, localPort: 53 }), socketMessage({ state: 1, remotePort: 53, cookie: 2n })]]
      : [],
  );
  expect(read(open(kernel), 2).map(({ type, status }) => `${type} ${status}`)).toEqual(['2 NONE', '2 NONE']);
});

test('a kernel without IPv6 returns the sockets of IPv4', () => {
  const kernel = fakeNetlink((_type, body) => {
    if (body[0] === 10) throw new NetlinkError(2);
    return [[socketMessage({ localPort: 53 })]];
  });
  expect(read(open(kernel), 2).map(({ local }) => local)).toEqual(['127.0.0.1:53']);
});

test('a kernel without the table fails, and the next request starts over', () => {
  const kernel = fakeNetlink(() => {
    throw new NetlinkError(2);
  });
  expect(() => read(open(kernel), 2)).toThrow('error 2');
  expect(kernel.opened()).toBe(0);
});

describe('a known socket', () => {
  test('is the same object while it is unchanged', () => {
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
  ])('is a new object when %s changes', (_what, change) => {
    let current = socketMessage({});
    const diag = tableOf(() => [current]);
    const [before] = read(diag, 1);
    current = socketMessage(change);
    const [after] = read(diag, 1);
    expect(after === before).toBe(false);
  });

  test('is forgotten when it is closed', () => {
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

test('at most the limit is returned, and the rest of the reply is discarded', () => {
  let pieces = 0;
  const kernel = fakeNetlink(() =>
    Array.from({ length: 100 }, (_value, piece) => [
      {
        get type() {
          pieces += 1;
          return oneFamily;
        },
        body: socketMessage({ cookie: BigInt(piece) }).body,
      },
    ]),
  );
  expect(read(open(kernel), 1, 5)).toHaveLength(5);
  expect(pieces).toBe(5);
  expect(kernel.opened()).toBe(0);
});

describe('while a dump of all TCP sockets is slow', () => {
  /** The sockets of a kernel, and the requests it received. */
  function slowKernel(sockets: Parameters<typeof socketMessage>[0][]) {
    const asked: string[] = [];
    const files = machineFiles({});
    let time = 0;
    const count = () => {
      const waiting = sockets.filter(({ state }) => state === 6).length;
      files.write(
        '/proc/net/sockstat',
        `sockets: used 9\nTCP: inuse ${sockets.length - waiting} orphan 0 tw ${waiting} mem 1\n`,
      );
    };
    const kernel = fakeNetlink((type, body) => {
      const view = new DataView(body.buffer, body.byteOffset);
      if (type === oneFamily) {
        asked.push('one');
        return [sockets.filter(({ cookie = 1n }) => cookie === view.getBigUint64(48, true)).map(socketMessage)];
      }
      const states = view.getUint32(52, true);
      asked.push(states === 1 << 10 ? 'listening' : 'all');
      // A dump of another size took longer.
      count();
      return [sockets.filter(({ state = 1 }) => (states & (1 << state)) !== 0).map(socketMessage)];
    });
    const diag = createSockDiag(kernel, files, () => {
      time += 5;
      return time;
    });
    return {
      kernel,
      /** Local ports and states, and the requests for them. */
      read() {
        asked.length = 0;
        return read(diag, 1).map(({ local, status }) => `${local.split(':')[1]} ${status}`);
      },
      asked,
      files,
    };
  }

  const listener = { cookie: 1n, state: 10, localPort: 80 };
  const client = { cookie: 2n, state: 1, localPort: 1111, remotePort: 80 };
  const waiting = { cookie: 3n, state: 6, localPort: 2222, remotePort: 80 };

  test('the known connections are requested one by one', () => {
    const { read: readPorts, asked } = slowKernel([listener, client, waiting]);
    const sockets = ['80 LISTEN', '1111 ESTABLISHED', '2222 TIME_WAIT'];
    expect(readPorts()).toEqual(sockets);
    expect(asked).toEqual(['all']);
    expect(readPorts()).toEqual(sockets);
    expect(asked).toEqual(['listening', 'one', 'one']);
  });

  test('a changed state is seen that way', () => {
    const sockets = [listener, client];
    const { read: readPorts, asked } = slowKernel(sockets);
    readPorts();
    sockets[1] = { ...client, state: 8 };
    expect(readPorts()).toEqual(['80 LISTEN', '1111 CLOSE_WAIT']);
    expect(asked).toEqual(['listening', 'one']);
  });

  test.each<[string, Parameters<typeof socketMessage>[0][]]>([
    ['one more', [listener, client, { cookie: 9n, localPort: 3333 }]],
    ['one less', [listener]],
    ['another one', [listener, { cookie: 9n, localPort: 3333, remotePort: 80 }]],
    ['one more and a listener less', [client, { cookie: 9n, localPort: 3333, remotePort: 80 }]],
  ])('%s is noticed, and all sockets are dumped', (_what, later) => {
    const sockets: Parameters<typeof socketMessage>[0][] = [listener, client];
    const { read: readPorts, asked, kernel } = slowKernel(sockets);
    readPorts();
    sockets.splice(0, 2, ...later);
    expect(readPorts()).toEqual(
      later.map(({ localPort, state }) => `${localPort} ${state === 10 ? 'LISTEN' : 'ESTABLISHED'}`),
    );
    expect(asked).toContain('all');
    readPorts();
    expect(asked).not.toContain('all');
    expect(kernel.opened()).toBe(1);
  });

  test('many connections are dumped', () => {
    const many = Array.from({ length: 257 }, (_value, index) => ({ cookie: BigInt(index + 1), localPort: index + 1 }));
    const { read: readPorts, asked } = slowKernel(many);
    readPorts();
    expect(readPorts()).toHaveLength(257);
    expect(asked).toEqual(['all']);
  });

  test('with a wrong or missing count of the kernel they are dumped', () => {
    const sockets = [listener, client];
    const { read: readPorts, asked, files } = slowKernel(sockets);
    const write = files.write;
    files.write = () => write('/proc/net/sockstat', 'TCP: inuse 77 orphan 0 tw 0 mem 1\n');
    readPorts();
    readPorts();
    expect(asked).toEqual(['all']);
  });
});
