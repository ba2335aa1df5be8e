import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TargetGroup } from '../../../src/transports/discovery/prometheus-targets.ts';
import { type PrivateAvahi, startAvahi } from '../harness/avahi.ts';
import { createPrivateNetwork, hasNetworks, type PrivateNetwork } from '../harness/network.ts';
import { needs } from '../harness/parts.ts';
import { commandLine, type RunningHostler, serviceEnvironment, startHostler, until } from '../harness/service.ts';

const isPossible = hasNetworks() && needs('avahi-daemon', 'avahi-browse', 'avahi-publish', 'dbus-daemon', 'mount');

describe.skipIf(!isPossible)('on a network with other machines', () => {
  let ours: PrivateNetwork;
  let theirs: PrivateNetwork;
  let avahi: PrivateAvahi;
  const running: RunningHostler[] = [];

  beforeAll(async () => {
    ours = createPrivateNetwork('here');
    theirs = createPrivateNetwork('there');
    ours.ip(`link add link0 type veth peer name link1 netns ${theirs.within[3]}`);
    ours.batch(['addr add 10.99.0.1/24 dev link0', 'link set link0 up']);
    theirs.batch(['addr add 10.99.0.2/24 dev link1', 'link set link1 up']);
    avahi = await startAvahi(theirs);
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
    await until(() => (avahi.browse('_hostler._tcp').length === 0 ? true : null));
  });
  afterAll(async () => {
    await avahi?.remove();
    ours?.remove();
    theirs?.remove();
  });

  const start = async (network: PrivateNetwork, env: Record<string, string> = {}) => {
    const service = await startHostler({ through: [...network.within], env: { SERVICE_HOST: '*', ...env } });
    running.push(service);
    return service;
  };
  const found = (type = '_hostler._tcp') => avahi.browse(type);
  const foundAt = (address: string) => until(() => found().find((service) => service.address === address) ?? null);

  test('avahi finds both service types, with all records that clients need', async () => {
    const { port, directory } = await start(ours);
    const expected = await until(() => found()[0] ?? null);
    const system = JSON.parse(await command(ours, ['data', 'system', '--json'], directory));
    expect(expected).toEqual({
      name: os.hostname().split('.')[0] ?? '',
      address: '10.99.0.1',
      port,
      texts: {
        ip: '10.99.0.1',
        port: String(port),
        uuid: system.uuid,
        host: system.hostname,
        fqdn: system.fqdn,
        mac: system.mac_address,
        address: `http://10.99.0.1:${port}`,
        version: system.version,
      },
    });
    expect(system.mac_address).toMatch(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
    expect(await until(() => found('_system-bridge._tcp')[0] ?? null)).toEqual(expected);
  });

  test('the records are withdrawn when the service ends', async () => {
    const service = await start(ours);
    const follower = avahi.follow('_system-bridge._tcp');
    await until(() => (follower.lines().some((line) => line.startsWith('+;')) ? true : null));
    expect(await service.stop()).toBe(0);
    await until(() => (follower.lines().some((line) => line.startsWith('-;')) ? true : null));
  });

  test('an address that changes is followed', async () => {
    await start(ours);
    await foundAt('10.99.0.1');
    ours.batch(['addr del 10.99.0.1/24 dev link0', 'addr add 10.99.0.7/24 dev link0']);
    try {
      expect((await foundAt('10.99.0.7')).texts.ip).toBe('10.99.0.7');
    } finally {
      ours.batch(['addr del 10.99.0.7/24 dev link0', 'addr add 10.99.0.1/24 dev link0']);
    }
    expect((await foundAt('10.99.0.1')).texts.ip).toBe('10.99.0.1');
  });

  test('a network that appears later is used, and one that disappears does no harm', async () => {
    ours.ip('link set link0 down');
    const service = await start(ours);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    ours.ip('link set link0 up');
    await foundAt('10.99.0.1');
    ours.ip('link set link0 down');
    await until(() => (found().length === 0 ? true : null));
    ours.ip('link set link0 up');
    await foundAt('10.99.0.1');
    expect(service.output()).not.toContain('ERROR');
  });

  test('where multicast is forbidden the service still serves', async () => {
    ours.ip('route add prohibit 224.0.0.0/4');
    try {
      const service = await start(ours);
      await new Promise((resolve) => setTimeout(resolve, 2500));
      expect(await command(ours, ['data', 'system', '--json'], service.directory)).toContain('"uuid"');
      expect(service.output()).not.toContain('ERROR');
    } finally {
      ours.ip('route del prohibit 224.0.0.0/4');
    }
  });

  test('two services on one machine and a third elsewhere with the same name are distinguished and all discovered', async () => {
    const services = [await start(ours), await start(ours), await start(theirs)];
    await until(() => (found().length === 3 ? true : null));
    const name = os.hostname().split('.')[0] ?? '';
    const names = [name, `${name} (2)`, `${name} (3)`];
    expect(
      found()
        .map((service) => service.name)
        .sort(),
    ).toEqual(names);
    const listed = JSON.parse(await command(ours, ['discover', '--json'], services[0]?.directory));
    expect(listed.map((service: { name: string }) => service.name)).toEqual(names);
    expect(listed[0].types).toEqual(['_hostler._tcp', '_system-bridge._tcp']);
    const targets: TargetGroup[] = JSON.parse(
      await command(ours, ['discover', '--prometheus'], services[0]?.directory),
    );
    expect(targets.map(({ labels }) => labels.__meta_hostler_name)).toEqual(names);
    expect(targets.flatMap((group) => group.targets).toSorted()).toEqual(
      listed.map(({ address }: { address: string }) => address.replace('http://', '')).toSorted(),
    );
  });

  test('services of others are discovered, and cannot inject terminal sequences', async () => {
    avahi.publish('Old \u001b[31mbridge.x', '_system-bridge._tcp', 4242, ['ip=10.99.0.2', 'uuid=old', 'version=5.0.0']);
    await until(() => (found('_system-bridge._tcp').length > 0 ? true : null));
    const table = await command(ours, ['discover', '--timeout', '2']);
    expect(table).toMatch(/Old \\u001b\[31mbridge\.x +http:\/\/10\.99\.0\.2:4242 +5\.0\.0 +old/);
    expect(table).not.toContain('\u001b');
  });

  test('without other services the list is empty', async () => {
    const alone = createPrivateNetwork('alone');
    try {
      expect(await command(alone, ['discover', '--timeout', '1'])).toContain('no interface with an IPv4 address is up');
      alone.batch([
        'link add a0 type veth peer name a1',
        'addr add 10.98.0.1/24 dev a0',
        'link set a0 up',
        'link set a1 up',
      ]);
      expect(await command(alone, ['discover', '--timeout', '1'])).toBe('No service answered within 1 s.\n');
    } finally {
      alone.remove();
    }
  });

  test('junk packets neither end the service, nor make it grow, nor stop its responses', async () => {
    const service = await start(ours);
    await foundAt('10.99.0.1');
    await noise(theirs, 10_000);
    const before = residentKb(service.pid);
    await noise(theirs, 30_000);
    expect(residentKb(service.pid) - before).toBeLessThan(8000);
    expect(service.output()).not.toContain('ERROR');
    const listed: { types: string[] }[] = JSON.parse(await command(theirs, ['discover', '--json']));
    expect(listed.filter(({ types }) => types.includes('_hostler._tcp'))).toHaveLength(1);
  });

  const noise = async (network: PrivateNetwork, packets: number) =>
    expect(
      await network.start(process.execPath, [
        path.join(import.meta.dirname, '..', 'harness', 'mdns-noise.ts'),
        '10.99.0.2',
        String(packets),
      ]),
    ).toBe('sent');
});

describe.skipIf(!isPossible)('on loopback only', () => {
  test.each([
    ['127.0.0.1', 0],
    ['*', 3],
  ])('with SERVICE_HOST=%s at least this many multicast packets are sent: %d', async (host, least) => {
    const network = createPrivateNetwork(`count-${least}`);
    network.batch([
      'link add c0 type veth peer name c1',
      'addr add 10.97.0.1/24 dev c0',
      'link set c0 up',
      'link set c1 up',
    ]);
    await using service = await startHostler({ through: [...network.within], env: { SERVICE_HOST: host } });
    try {
      await new Promise((resolve) => setTimeout(resolve, 3500));
      const sent = multicastPackets(service.pid);
      if (least === 0) expect(sent).toBe(0);
      else expect(sent).toBeGreaterThanOrEqual(least);
    } finally {
      await service.stop();
      network.remove();
    }
  });
});

/** IpExt of the network that a process is in, as names and values in two lines. */
function multicastPackets(pid: number): number {
  const [names = [], values = []] = fs
    .readFileSync(`/proc/${pid}/net/netstat`, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('IpExt:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('OutMcastPkts')]);
}

const residentKb = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Runs a command in a network; returns its output, also when it fails. */
async function command(network: PrivateNetwork, args: string[], directory = os.tmpdir()): Promise<string> {
  const [program = '', ...rest] = [...network.within, ...commandLine(false), ...args];
  const child = spawn(program, rest, { env: serviceEnvironment(directory, {}), stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  await once(child, 'close');
  return output;
}
