import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { NetworkConnection, NetworkInterface, Networks } from '../../../src/features/networks/networks.schema.ts';
import { networksSchema } from '../../../src/features/networks/networks.schema.ts';
import { unexplained } from '../../harness/machines.ts';
import { until } from '../../harness/until.ts';
import { createPrivateNetwork, hasNetworks, type NetworksReader, type PrivateNetwork } from '../harness/network.ts';
import { needs } from '../harness/parts.ts';
import { hasPsutil, type Psutil, startPsutil } from '../harness/psutil.ts';

setDefaultTimeout(60_000);

const python = '/usr/bin/python3';
const holder = path.join(import.meta.dirname, '..', 'harness', 'sockets.py');

describe.skipIf(!hasNetworks() || !hasPsutil())('networks in a private network', () => {
  let network: PrivateNetwork;
  let reader: NetworksReader;
  let psutil: Psutil;

  beforeAll(() => {
    network = createPrivateNetwork('nets');
    network.ip('link add v0 type veth peer name v1');
    reader = network.reader();
    psutil = startPsutil(...network.within);
  });
  afterAll(() => {
    psutil?.stop();
    network?.remove();
  });

  const link = (payload: Networks, name: string) => payload.networks.find((entry) => entry.name === name);
  const addressesOf = (payload: Networks, name: string) => link(payload, name)?.addresses.map(({ address }) => address);

  /** The numbers of psutil for what has a name or null here. */
  function asPsutil({ addresses, stats }: NetworkInterface) {
    const families = { IPv4: 2, IPv6: 10, MAC: 17 };
    const duplex = { full: 2, half: 1 }[stats.duplex] ?? 0;
    return {
      addresses: addresses.map((address) => ({ ...address, family: families[address.family] })),
      stats: { ...stats, duplex, speed: stats.speed ?? 0, flags: stats.flags.join(',') },
    };
  }

  /** Ours and psutil's; the kernel reports some changes of a link up to a second later, so both are read until they agree. */
  async function compareInterfaces(): Promise<Networks> {
    let looked = await lookAtInterfaces();
    const agree = async () => {
      looked = await lookAtInterfaces();
      return isDeepStrictEqual(looked.ours, looked.theirs);
    };
    await until(agree, 'the same answer').catch(() => {});
    expect(looked.ours).toEqual(looked.theirs);
    return looked.payload;
  }

  async function lookAtInterfaces() {
    const { payload, reasons } = await reader.read();
    networksSchema.parse(payload);
    expect(unexplained(payload, reasons)).toEqual([]);
    const addresses = await psutil.ask<Record<string, unknown[]>>('psutil.net_if_addrs()');
    const stats = await psutil.ask<Record<string, object>>('psutil.net_if_stats()');
    const ours: Record<string, unknown> = {};
    for (const entry of payload.networks) ours[entry.name] = asPsutil(entry);
    const theirs: Record<string, unknown> = {};
    for (const [name, values] of Object.entries(stats)) {
      // The potential speed of an interface that is down is not its speed.
      const idle = link(payload, name)?.stats.isup === false ? { speed: 0, duplex: 0 } : {};
      theirs[name] = { addresses: addresses[name] ?? [], stats: { ...values, ...idle } };
    }
    return { payload, ours, theirs };
  }

  /** Runs a change, and waits for the push that shows it; returns the milliseconds between. */
  async function pushAfter(act: () => void, shows: (payload: Networks) => boolean): Promise<number> {
    const seen = reader.pushes.length;
    const before = Date.now();
    act();
    const find = () => reader.pushes.slice(seen).find(({ pushed }) => shows(pushed));
    await until(() => find() !== undefined, 'a push that shows the change');
    return (find()?.at ?? Number.POSITIVE_INFINITY) - before;
  }

  test('interfaces that appear, go up and get addresses match psutil', async () => {
    await compareInterfaces();
    network.ip('addr add 198.51.100.1/26 brd + dev v0');
    network.ip('addr add 198.51.100.2/26 brd + dev v0');
    network.ip('addr add 2001:db8:7::1/56 dev v0 nodad');
    network.ip('link set v0 mtu 1280 up');
    network.ip('link set v1 up promisc on');
    await until(async () => !/tentative/.test(addressList()), 'addresses that are settled');
    const payload = await compareInterfaces();
    expect(link(payload, 'v0')?.stats).toEqual({
      isup: true,
      duplex: 'full',
      speed: 10_000,
      mtu: 1280,
      flags: ['up', 'broadcast', 'running', 'multicast'],
    });
    expect(addressesOf(payload, 'v0')?.slice(0, 3)).toEqual(['198.51.100.1', '198.51.100.2', '2001:db8:7::1']);
    network.ip('link set v1 down');
    await compareInterfaces();
    network.ip('link set v1 up');
  });

  function addressList(): string {
    const [program = '', ...args] = [...network.within, 'ip', 'addr'];
    return spawnSync(program, args, { encoding: 'utf8' }).stdout;
  }

  test.skipIf(!fs.existsSync('/dev/net/tun'))('a tunnel has a remote address', async () => {
    network.ip('tuntap add dev tun7 mode tun');
    network.ip('addr add 10.7.0.1 peer 10.7.0.2 dev tun7');
    network.ip('link set tun7 up');
    const payload = await compareInterfaces();
    expect(link(payload, 'tun7')?.addresses[0]).toEqual({
      address: '10.7.0.1',
      family: 'IPv4',
      netmask: '255.255.255.255',
      broadcast: null,
      ptp: '10.7.0.2',
    });
    network.ip('link delete tun7');
  });

  test.skipIf(!fs.existsSync('/dev/net/tun'))(
    'interfaces have kinds, and VPN interfaces are reported when they go up',
    async () => {
      network.ip('link add br7 type bridge');
      network.ip('tuntap add dev tap7 mode tap');
      // Not every kernel has it.
      const hasWireguard = network.tries('link add wg7 type wireguard');
      if (!hasWireguard) console.warn('skipped: WireGuard: this kernel has none');
      await reader.listen();
      try {
        await pushAfter(
          () => network.ip('tuntap add dev tun7 mode tun'),
          ({ vpns }) => vpns?.some(({ name, up }) => name === 'tun7' && !up) === true,
        );
        const { payload } = await reader.read();
        const kindOf = (name: string) => link(payload, name)?.kind;
        expect(['lo', 'v0', 'br7', 'tap7', 'tun7'].map(kindOf)).toEqual([undefined, 'veth', 'bridge', 'tap', 'tun']);
        const tun = { name: 'tun7', kind: 'tun', interface: 'tun7', up: false, source: 'kernel' } as const;
        const wireguard = { ...tun, name: 'wg7', kind: 'wireguard', interface: 'wg7' } as const;
        expect(payload.vpns).toEqual(hasWireguard ? [wireguard, tun] : [tun]);
        if (hasWireguard)
          await pushAfter(
            () => network.ip('link set wg7 up'),
            ({ vpns }) => vpns?.some(({ name, up }) => name === 'wg7' && up) === true,
          );
      } finally {
        await reader.unlisten();
        for (const name of ['br7', 'tap7', 'tun7', 'wg7']) network.tries(`link delete ${name}`);
      }
    },
  );

  test('the traffic of all interfaces together matches psutil', async () => {
    const traffic =
      'import socket\ns=socket.socket(2,2)\nfor i in range(500): s.sendto(b"x"*900,("127.0.0.1",9))\nprint(1)';
    await network.start(python, ['-c', traffic]);
    const ask = () => psutil.ask<Record<string, number>>('psutil.net_io_counters()');
    const before = await ask();
    const { payload } = await reader.read();
    const after = await ask();
    expect(Object.keys(payload.io ?? {}).sort()).toEqual(Object.keys(before).sort());
    for (const [name, count] of Object.entries(payload.io ?? {})) {
      expect(count).toBeGreaterThanOrEqual(before[name] ?? 0);
      expect(count).toBeLessThanOrEqual(after[name] ?? 0);
    }
    expect(payload.io?.bytes_recv).toBeGreaterThan(450_000);
  });

  test('cables, addresses and interfaces are pushed when they come and go, within 200 ms', async () => {
    await reader.listen();
    const has = (name: string, address: string) => (payload: Networks) =>
      addressesOf(payload, name)?.includes(address) === true;
    const steps: [command: string, shows: (payload: Networks) => boolean][] = [
      ['link set v1 down', (payload) => link(payload, 'v0')?.stats.isup === false],
      ['link set v1 up', (payload) => link(payload, 'v0')?.stats.isup === true],
      ['addr add 203.0.113.9/24 dev v0', has('v0', '203.0.113.9')],
      ['addr del 203.0.113.9/24 dev v0', (payload) => !has('v0', '203.0.113.9')(payload)],
      ['addr add 2001:db8:9::9/64 dev v0 nodad', has('v0', '2001:db8:9::9')],
      ['addr del 2001:db8:9::9/64 dev v0', (payload) => !has('v0', '2001:db8:9::9')(payload)],
      ['link add w0 type veth peer name w1', (payload) => link(payload, 'w0') !== undefined],
      ['link delete w0', (payload) => link(payload, 'w0') === undefined],
    ];
    // The best of several: on a busy machine some take longer.
    const best = new Map<string, number>();
    for (let round = 0; round < 5; round++) {
      for (const [command, shows] of steps) {
        const latency = await pushAfter(() => network.ip(command), shows);
        best.set(command, Math.min(latency, best.get(command) ?? Number.POSITIVE_INFINITY));
      }
    }
    await reader.unlisten();
    console.log(`pushed after ${Math.min(...best.values())} to ${Math.max(...best.values())} ms at best`);
    for (const [command, latency] of best) expect({ [command]: latency < 200 }).toEqual({ [command]: true });
  });

  test('without listeners nothing is followed', async () => {
    const followers = () =>
      fs
        .readFileSync(`/proc/${process.pid}/root${namespaceFile('netlink')}`, 'utf8')
        .split('\n')
        .filter((line) => /^\S+ +0 +\d+ +(?!00000000)[0-9a-f]{8} /.test(line)).length;
    const namespaceFile = (name: string) => `/proc/${readerPid}/net/${name}`;
    const { pid: readerPid } = await reader.read();
    await until(() => followers() === 0, 'the last one is gone');
    await reader.listen();
    await until(() => followers() === 1, 'one that follows');
    await reader.unlisten();
    await until(() => followers() === 0, 'none that follows');
  });

  test('a burst of changes is pushed a few times a second, and ends with the current state', async () => {
    await reader.listen();
    const seen = reader.pushes.length;
    const before = Date.now();
    const lines = Array.from({ length: 600 }, (_value, index) => `link set v1 ${index % 2 === 0 ? 'down' : 'up'}`);
    network.batch([...lines, 'link set v1 down']);
    await until(() => {
      const last = reader.pushes.at(-1);
      return reader.pushes.length > seen && last !== undefined && link(last.pushed, 'v0')?.stats.isup === false;
    }, 'the last change');
    await new Promise((resolve) => setTimeout(resolve, 400));
    const seconds = (Date.now() - before) / 1000;
    expect(reader.pushes.length - seen).toBeLessThan(4 + seconds / 0.1);
    const last = reader.pushes.at(-1);
    expect(last && link(last.pushed, 'v0')?.stats.isup).toBe(false);
    await reader.unlisten();
    network.ip('link set v1 up');
  });

  test('reading only the text files of /proc and /sys gives the same result', async () => {
    await until(async () => !/tentative/.test(addressList()), 'addresses that are settled');
    await network.start(python, [holder, '5']);
    const texts = network.reader('text');
    // New links still announce themselves, which counts as traffic: both have to read the same.
    let both: Networks[] = [];
    const agree = async () => {
      both = [(await texts.read()).payload, (await reader.read()).payload];
      const [one, other] = both.map(comparable);
      return JSON.stringify(one) === JSON.stringify(other);
    };
    await until(agree, 'the same answer').catch(() => {});
    const [fromTexts, fromNetlink] = both.map(comparable);
    expect(fromTexts).toEqual(fromNetlink);
    expect(fromTexts?.connections.length).toBeGreaterThan(10);
    texts.stop();
  });

  const comparable = ({ networks, connections, io }: Networks) => ({
    // The text files do not name every kind.
    networks: networks.map(({ kind: _, ...each }) => each),
    connections: connections
      .filter(({ status }) => status !== 'TIME_WAIT')
      .map((connection) => JSON.stringify(connection))
      .sort(),
    io,
  });
});

interface TheirConnection {
  fd: number;
  family: number;
  type: number;
  laddr: { ip: string; port: number } | [];
  raddr: { ip: string; port: number } | [];
  status: string;
  pid: number | null;
}

describe.skipIf(!hasNetworks() || !hasPsutil() || !needs('setpriv'))('connections in a private network', () => {
  let network: PrivateNetwork;
  let psutil: Psutil;

  beforeAll(() => {
    network = createPrivateNetwork('conns');
    psutil = startPsutil(...network.within);
  });
  afterAll(() => {
    psutil?.stop();
    network?.remove();
  });

  function asTheirs({ fd, family, type, laddr, raddr, status, pid }: NetworkConnection): string {
    return [fd ?? -1, family, type, laddr, raddr, status, pid].join(' ');
  }
  function asOurs({ fd, family, type, laddr, raddr, status, pid }: TheirConnection): string {
    const endpoint = (end: TheirConnection['laddr']) =>
      Array.isArray(end) ? null : `${family === 10 ? `[${end.ip}]` : end.ip}:${end.port}`;
    return [fd, family, type, endpoint(laddr), endpoint(raddr), status, pid].join(' ');
  }
  const ask = () => psutil.ask<TheirConnection[]>("psutil.net_connections('inet')");

  test('2,000 sockets in two processes match psutil, processes and descriptors included', async () => {
    for (const _process of [1, 2]) await network.start(python, [holder, '500']);
    const reader = network.reader();
    // A closing socket changes its state at any moment: both have to read the same one.
    let ours = await reader.read();
    let theirs = await ask();
    const agree = async () => {
      ours = await reader.read();
      theirs = await ask();
      return JSON.stringify(texts()) === JSON.stringify(theirs.map(asOurs).sort());
    };
    const texts = () => ours.payload.connections.map(asTheirs).sort();
    await until(agree, 'the same answer').catch(() => {});
    expect(texts()).toEqual(theirs.map(asOurs).sort());
    expect(ours.payload.connections.length).toBeGreaterThan(2000);
    expect(unexplained(ours.payload, ours.reasons)).toEqual([]);
    const states = new Set(ours.payload.connections.map(({ status }) => status));
    expect([...states]).toEqual(expect.arrayContaining(['ESTABLISHED', 'LISTEN', 'CLOSE_WAIT', 'NONE']));
    reader.stop();
  });

  test('a few sockets match, whatever comes and goes between two readings', async () => {
    const few = createPrivateNetwork('few');
    const theirs = startPsutil(...few.within);
    try {
      const reader = few.reader();
      const agree = async () => {
        const ours = (await reader.read()).payload.connections.map(asTheirs).sort();
        const others = await theirs.ask<TheirConnection[]>("psutil.net_connections('inet')");
        return JSON.stringify(ours) === JSON.stringify(others.map(asOurs).sort()) && ours.length;
      };
      const agreed = async () => {
        let count: number | false = false;
        await until(async () => {
          count = await agree();
          return count !== false;
        }, 'the same answer');
        return count;
      };
      const counts = [await agreed()];
      const holders: number[] = [];
      for (const pairs of ['3', '1', '7']) {
        holders.push(Number(await few.start(python, [holder, pairs])));
        for (const _again of [1, 2, 3]) counts.push(await agreed());
      }
      for (const pid of holders) {
        process.kill(pid, 'SIGKILL');
        counts.push(await agreed());
      }
      expect(new Set(counts).size).toBeGreaterThan(4);
    } finally {
      theirs.stop();
      few.remove();
    }
  });

  test('new sockets are found with their owners, and those of ended processes are gone', async () => {
    const reader = network.reader();
    await reader.read();
    const pid = Number(await network.start(python, [holder, '20']));
    const { payload } = await reader.read();
    const own = payload.connections.filter((connection) => connection.pid === pid);
    expect(own.length).toBeGreaterThan(40);
    const theirs = (await ask()).filter((connection) => connection.pid === pid);
    expect(own.map(asTheirs).sort()).toEqual(theirs.map(asOurs).sort());
    process.kill(pid, 'SIGKILL');
    await until(() => !fs.existsSync(`/proc/${pid}`), 'the end of the process');
    expect((await reader.read()).payload.connections.filter((connection) => connection.pid === pid)).toEqual([]);
    reader.stop();
  });

  test('a socket moves from a process that ends to the child that inherited it', async () => {
    const reader = network.reader();
    const [parent = 0, child = 0] = (await network.start(python, [holder, '3', 'child'])).split(' ').map(Number);
    const owners = async () => (await reader.read()).payload.connections.map(({ pid }) => pid);
    const count = (pids: (number | null)[], wanted: number) => pids.filter((pid) => pid === wanted).length;
    const before = await owners();
    expect(count(before, parent) + count(before, child)).toBe(9);
    process.kill(parent, 'SIGKILL');
    await until(() => !fs.existsSync(`/proc/${parent}`), 'the end of the parent');
    const after = await owners();
    expect([count(after, parent), count(after, child)]).toEqual([0, 9]);
    process.kill(child, 'SIGKILL');
    reader.stop();
  });

  test('the sockets of the service are listed as its own', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    const { createLinuxHost } = await import('../../../src/host/linux/create-linux-host.ts');
    const { startThread } = await import('../../../src/app/threads/start-thread.ts');
    const { createConnectionReader } = await import('../../../src/features/networks/linux/networks.connections.ts');
    const { inSlices } = await import('../../../src/lib/slices.ts');
    const host = createLinuxHost('6.0.0', startThread);
    const reader = await createConnectionReader(host, await host.netlink());
    const nothing = { missing: () => {}, inherent: () => {} };
    const connections = await inSlices(host.clock, reader.read(nothing));
    const own = connections.find(({ laddr }) => laddr === `127.0.0.1:${port}`);
    expect(own).toMatchObject({ status: 'LISTEN', pid: process.pid });
    expect(fs.readlinkSync(`/proc/self/fd/${own?.fd}`)).toStartWith('socket:');
    reader.close();
    server.close();
    await host.close();
  });

  test('without privileges the owners of other users’ sockets are unknown, and the reason says what is needed', async () => {
    const nobody = 65_534;
    const other = Number(await network.start(python, [holder, '1']));
    const args = [`--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', python, '-', '1'];
    const own = Number(await network.start('setpriv', args, holder));
    const reader = network.reader(String(nobody));
    const { payload, reasons } = await reader.read();
    const pids = new Set(payload.connections.map(({ pid }) => pid));
    expect([pids.has(own), pids.has(other), pids.has(null)]).toEqual([true, false, true]);
    const reason = reasons.find(({ field, mendable }) => field === 'connections[].pid' && mendable);
    expect(reason?.reason).toContain('CAP_SYS_PTRACE');
    reader.stop();
  });

  test('a /proc of another machine shows the network of that machine, not the current namespace', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    const [program = '', ...args] = [
      ...network.within,
      process.execPath,
      path.join(import.meta.dirname, '..', 'harness', 'networks-reader.ts'),
    ];
    const { stdout } = spawnSync(program, args, {
      encoding: 'utf8',
      input: 'read\n',
      env: { ...process.env, HOSTLER_PROC: '/proc/self/root/proc' },
    });
    const { answer } = JSON.parse(stdout.split('\n')[0] ?? '');
    const found = answer.payload.connections.find(({ laddr }: NetworkConnection) => laddr === `127.0.0.1:${port}`);
    // In a network namespace the tests see that of the first process there.
    const digits = `:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
    const sameNetwork = fs.readFileSync('/proc/1/net/tcp', 'latin1').includes(digits);
    expect(found?.pid).toBe(sameNetwork ? process.pid : undefined);
    server.close();
  });
});
