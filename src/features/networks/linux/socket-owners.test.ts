import { beforeEach, describe, expect, test } from 'bun:test';
import type { InetSocket } from '@hostler/netlink/inet-socket.ts';
import type { Files } from '../../../host/linux/files.ts';
import { createSocketOwners, type OwnerParts } from './socket-owners.ts';

/** Processes and their descriptors; null: of another user; a link of null: listed, but not readable. */
let processes: Map<number, { ran: number; descriptors: Record<number, string | null> | null }>;
let now: number;
/** Processes whose descriptors were listed, and links that were read. */
let listed: number[];
let links: number;

beforeEach(() => {
  processes = new Map();
  now = 0;
  listed = [];
  links = 0;
});

/** Its descriptors change only when it runs. */
function run(pid: number, descriptors: Record<number, string | null> | null): void {
  processes.set(pid, { ran: (processes.get(pid)?.ran ?? 0) + 1, descriptors });
  const isHidden = descriptors === null || Object.values(descriptors).includes(null);
  stats.set(pid, isHidden ? `${pid} (a) S) S 1 1 1 0 -1 4194560 0` : kernelThread);
}

const kernelThread = '2 (kthreadd) S 0 0 0 0 -1 2129984 0';
const zombie = '9 (gone) Z 1 1 1 0 -1 4228108 0';
/** The lines of /proc/PID/stat. */
const stats = new Map<number, string>();

const files = {
  entries(directory: string) {
    if (directory === '/proc') return [...processes.keys(), 'net', 'self'].map(String);
    const pid = pidOf(directory);
    listed.push(pid);
    return Object.keys(processes.get(pid)?.descriptors ?? {});
  },
  link(file: string) {
    links += 1;
    return processes.get(pidOf(file))?.descriptors?.[Number(file.split('/')[4])] ?? null;
  },
  text(file: string) {
    expect(file).toEndWith('/stat');
    return stats.get(pidOf(file)) ?? null;
  },
};
const pidOf = (file: string) => Number(file.split('/')[2]);

function open(parts: Partial<OwnerParts> = {}) {
  const owners = createSocketOwners({
    files: files as unknown as Files,
    ownPid: null,
    ownUid: 1000,
    clock: (pid) => processes.get(pid)?.ran ?? null,
    now: () => now,
    ...parts,
  });
  return {
    ...owners,
    /** `pid/descriptor` of the sockets with these inodes. */
    after(inodes: number[], uid = 1000): (string | null)[] {
      listed = [];
      links = 0;
      const sockets = inodes.map((inode) => socket(inode, uid));
      const steps = owners.update(sockets);
      while (steps.next().done !== true);
      return sockets.map((entry) => {
        const owner = owners.of(entry);
        return owner && `${owner.pid}/${owner.descriptor}`;
      });
    },
  };
}

function socket(inode: number, uid: number): InetSocket {
  return { family: 2, type: 1, local: '127.0.0.1:80', remote: null, status: 'LISTEN', inode, uid };
}

test('sockets are found in the processes that hold them', () => {
  run(10, { 0: '/dev/null', 3: 'socket:[100]', 4: 'pipe:[100]' });
  run(20, { 5: 'socket:[200]', 7: 'socket:[999]' });
  expect(open().after([100, 200, 300, 0])).toEqual(['10/3', '20/5', null, null]);
});

test('of several processes that hold a socket the first one counts', () => {
  run(10, { 3: 'socket:[100]' });
  run(20, { 3: 'socket:[100]' });
  expect(open().after([100])).toEqual(['10/3']);
});

test('without a new socket no process is read', () => {
  run(10, { 3: 'socket:[100]' });
  run(20, {});
  const owners = open();
  owners.after([100]);
  run(20, {});
  expect(owners.after([100])).toEqual(['10/3']);
  expect([listed, links]).toEqual([[], 0]);
});

test('for a new socket only processes that have run are read, those with sockets first', () => {
  for (const pid of [10, 20, 30, 40]) run(pid, pid === 30 ? { 3: 'socket:[100]' } : { 1: '/dev/null' });
  const owners = open();
  owners.after([100, 555]);
  run(20, { 1: '/dev/null' });
  run(30, { 3: 'socket:[100]', 4: 'socket:[101]' });
  expect(owners.after([100, 101])).toEqual(['30/3', '30/4']);
  expect(listed).toEqual([30]);
  run(40, { 9: 'socket:[102]' });
  expect(owners.after([100, 101, 102])).toEqual(['30/3', '30/4', '40/9']);
  expect(listed).toEqual([20, 40]);
});

test('a socket seen in a process before it was in the table is found without another read', () => {
  run(10, { 3: 'socket:[100]', 4: 'socket:[101]' });
  const owners = open();
  expect(owners.after([100])).toEqual(['10/3']);
  expect(owners.after([100, 101])).toEqual(['10/3', '10/4']);
  expect(listed).toEqual([]);
});

describe('a known owner', () => {
  test('is dropped when the socket is closed', () => {
    run(10, { 3: 'socket:[100]' });
    const owners = open();
    owners.after([100]);
    owners.after([]);
    run(10, {});
    run(20, { 8: 'socket:[100]' });
    expect(owners.after([100])).toEqual(['20/8']);
  });

  test('is dropped when the process has ended and another one holds the socket', () => {
    run(10, { 3: 'socket:[100]' });
    run(20, { 3: 'socket:[100]' });
    const owners = open();
    expect(owners.after([100])).toEqual(['10/3']);
    processes.delete(10);
    expect(owners.after([100])).toEqual(['20/3']);
  });

  test('is dropped when a new process reuses the PID', () => {
    run(10, { 3: 'socket:[100]', 4: 'socket:[101]' });
    const owners = open();
    owners.after([100, 101]);
    run(10, { 1: '/dev/null' });
    run(30, { 6: 'socket:[100]', 7: 'socket:[101]' });
    expect(owners.after([100, 101])).toEqual(['30/6', '30/7']);
  });

  test('is dropped when the process passed a new socket on, as forking servers do', () => {
    run(10, { 3: 'socket:[100]', 4: 'socket:[101]' });
    run(11, { 4: 'socket:[101]' });
    const owners = open();
    expect(owners.after([100, 101])).toEqual(['10/3', '10/4']);
    run(10, { 3: 'socket:[100]' });
    expect(owners.after([100, 101])).toEqual(['10/3', '11/4']);
  });

  test('is checked bit by bit in a process that runs', () => {
    const inodes = Array.from({ length: 300 }, (_value, index) => 1000 + index);
    const descriptors = Object.fromEntries(inodes.map((inode, index) => [index, `socket:[${inode}]`]));
    run(10, descriptors);
    const owners = open();
    owners.after(inodes);
    const linksRead: number[] = [];
    for (let round = 0; round < 8; round++) {
      run(10, descriptors);
      owners.after(inodes);
      linksRead.push(links);
    }
    expect(linksRead).toEqual([65, 65, 65, 65, 45, 1, 1, 1]);
  });
});

test.each([
  ['a kernel thread', kernelThread, false],
  ['a zombie', zombie, false],
  ['a process of another user', '9 (Z) Z 1) S 1 1 1 0 -1 4194560 0', true],
  ['a process that has ended', '', false],
])('%s without readable descriptors: %j', (_, stat, expected) => {
  run(10, null);
  stats.set(10, stat);
  const owners = open();
  owners.after([100]);
  expect(owners.hidden()).toBe(expected);
});

describe('a socket without an owner', () => {
  test('is searched once, and again after a minute', () => {
    run(10, {});
    const owners = open();
    expect(owners.after([100])).toEqual([null]);
    run(10, { 3: 'socket:[100]' });
    now += 2000;
    expect(owners.after([100])).toEqual([null]);
    now += 60_000;
    expect(owners.after([100])).toEqual(['10/3']);
  });

  test('of another user is not searched while other processes are hidden, until then', () => {
    run(10, null);
    run(20, { 1: '/dev/null' });
    const owners = open();
    expect([owners.after([100], 0), owners.hidden()]).toEqual([[null], true]);
    run(20, { 2: 'socket:[101]' });
    expect(owners.after([100, 101], 0)).toEqual([null, null]);
    expect(listed).toEqual([]);
    now += 60_000;
    expect(owners.after([100, 101], 0)).toEqual([null, '20/2']);
  });
});

test('a process whose descriptors can be listed but not read is hidden', () => {
  run(1, { 0: null, 3: null });
  run(20, { 1: '/dev/null' });
  const owners = open();
  expect([owners.after([100]), owners.hidden()]).toEqual([[null], true]);
});

test('processes without descriptors are skipped for a while, although they run', () => {
  run(2, {});
  run(10, null);
  run(20, { 1: '/dev/null' });
  const owners = open();
  owners.after([100]);
  for (const [pid, { descriptors }] of processes) run(pid, descriptors);
  owners.after([100, 101]);
  expect(listed).toEqual([20]);
});

test('our own sockets are found by their descriptors, without reading a link', () => {
  run(42, { 3: 'socket:[100]', 4: '/dev/null' });
  const owners = open({ ownPid: 42, inodeOf: (descriptor) => (descriptor === 3 ? 100 : null) });
  expect(owners.after([100])).toEqual(['42/3']);
  run(42, { 3: 'socket:[100]', 4: '/dev/null' });
  expect(owners.after([100])).toEqual(['42/3']);
  expect(links).toBe(0);
});

test('without CPU times every process counts as having run', () => {
  run(10, { 3: 'socket:[100]' });
  run(20, {});
  const owners = open({ clock: null });
  owners.after([100]);
  processes.set(20, { ran: 1, descriptors: { 9: 'socket:[200]' } });
  now += 60_000;
  expect(owners.after([100, 200])).toEqual(['10/3', '20/9']);
});

test('a process with many descriptors is read in steps', () => {
  run(10, Object.fromEntries(Array.from({ length: 1000 }, (_value, index) => [index, `socket:[${index + 1}]`])));
  const owners = open();
  let steps = 0;
  const update = owners.update(Array.from({ length: 1000 }, (_value, index) => socket(index + 1, 0)));
  while (update.next().done !== true) steps += 1;
  expect(steps).toBeGreaterThan(25);
});
