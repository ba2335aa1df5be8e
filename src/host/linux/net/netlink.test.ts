import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import { NetlinkError, type NetlinkSocket } from '@hostler/netlink/netlink.ts';
import { parseLink } from '@hostler/netlink/rtnetlink.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { countOpenFiles } from '../../../../test/harness/open-files.ts';
import { until } from '../../../../test/harness/until.ts';
import { createFiles } from '../files.ts';
import { createLoadNetlink } from './netlink.ts';

function askAll(socket: NetlinkSocket, type: number, body = new Uint8Array(16)): string[] {
  const names: string[] = [];
  const steps = socket.ask(type, body, (bytes, at, end) => {
    names.push(parseLink(bytes, at, end)?.name ?? '');
  });
  while (steps.next().done !== true);
  return names;
}

describe('a moved /proc', () => {
  test('of another network namespace is not what the kernel reports', async () => {
    const files = machineFiles({ '/proc/1/ns/net': '-> net:[1]' });
    await expect(createLoadNetlink(files)()).rejects.toThrow('HOSTLER_PROC');
    await expect(createLoadNetlink(machineFiles({}))()).rejects.toThrow('HOSTLER_PROC');
  });
});

describe.skipIf(os.platform() !== 'linux')('the real kernel', () => {
  const load = createLoadNetlink(createFiles({}));

  test('is used although /proc was moved, if its first process is in our network namespace', async () => {
    const files = machineFiles({ '/proc/1/ns/net': `-> ${fs.readlinkSync('/proc/self/ns/net')}` });
    const netlink = await createLoadNetlink(files)();
    netlink.open(0).close();
  });

  test('reports its links repeatedly', async () => {
    const socket = (await load()).open(0);
    const names = askAll(socket, 18);
    expect(names).toContain('lo');
    for (let round = 0; round < 20; round++) expect(askAll(socket, 18)).toEqual(names);
    socket.close();
  });

  test('answers an unknown request with an error number, and continues', async () => {
    const socket = (await load()).open(0);
    expect(() => askAll(socket, 0xfff)).toThrow(NetlinkError);
    expect(askAll(socket, 18)).toContain('lo');
    socket.close();
  });

  test('finds single entries, in the order of the requests, or reports that one is missing', async () => {
    const socket = (await load()).open(0);
    // struct ifinfomsg with the number of the interface.
    const about = (index: number) => {
      const body = new Uint8Array(16);
      new DataView(body.buffer).setInt32(4, index, true);
      return { message: 18, body };
    };
    const names: string[] = [];
    const find = (...indexes: number[]) =>
      socket.find(indexes.map(about), (bytes, at, end) => names.push(parseLink(bytes, at, end)?.name ?? ''));
    find(1, 1, 1);
    expect(names).toEqual(['lo', 'lo', 'lo']);
    expect(() => find(1, 0x7fff_ffff)).toThrow(NetlinkError);
    socket.close();
  });

  test('is not queried over a closed socket: its number may belong to another file', async () => {
    const socket = (await load()).open(0);
    const steps = socket.ask(18, new Uint8Array(16), () => {});
    expect(steps.next().done).toBe(false);
    socket.close();
    socket.close();
    expect(() => steps.next()).toThrow('closed');
  });

  test('leaves no descriptor open after requests and subscriptions ended', async () => {
    const netlink = await load();
    const count = () => countOpenFiles('socket:[');
    const round = async () => {
      const socket = netlink.open(4);
      (
        await netlink.follow(
          1,
          () => {},
          () => {},
        )
      )();
      socket.close();
    };
    await round();
    // Sockets of earlier tests may be closed meanwhile, and others opened: fewer than a hundred.
    const before = count();
    for (let times = 0; times < 100; times++) await round();
    await until(() => count() < before + 20, 'nearly all are closed');
  });

  test('refuses a protocol that does not exist', async () => {
    expect((await load()).open.bind(null, 4000)).toThrow('AF_NETLINK');
  });
});
