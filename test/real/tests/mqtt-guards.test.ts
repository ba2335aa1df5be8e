// tier: full
import { describe, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Aedes } from 'aedes';
import { generate, type Packet, parser } from 'mqtt-packet';
import { discoveryProblems } from '../../harness/home-assistant.ts';
import { openBroker, publish, publishLines, startBroker, startWitness } from '../harness/broker.ts';
import { launchBrowser } from '../harness/dashboard-browser.ts';
import {
  announced,
  componentsOf,
  connected,
  hasPayload,
  long,
  marker,
  payloadAt,
  startWith,
  statusOf,
  urlOf,
} from '../harness/mqtt-service.ts';
import { createPrivateNetwork, hasNetworks } from '../harness/network.ts';
import { needs } from '../harness/parts.ts';
import { type PrivateDunst, startPrivateDunst } from '../harness/private-dunst.ts';
import { commandLine, runHostler, serviceEnvironment, startHostler, until } from '../harness/service.ts';
import { createSideBySide, queued } from '../harness/side-by-side.ts';

const beside = createSideBySide();
const hasBroker = needs('mosquitto', 'mosquitto_sub', 'mosquitto_pub');
const python = '/usr/bin/python3';

const listen = async (server: net.Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

describe('a malicious broker', () => {
  /** Accepts every connection, acknowledges everything, and sends what the test provides. */
  const startStandIn = async () => {
    let say: (packet: Packet) => void = () => {};
    let write: (bytes: Buffer) => void = () => {};
    const received: Packet[] = [];
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      const reader = parser({ protocolVersion: 5 });
      say = (packet) => void socket.write(generate(packet, { protocolVersion: 5 }));
      write = (bytes) => void socket.write(bytes);
      reader.on('packet', (packet) => {
        received.push(packet);
        if (packet.cmd === 'connect') say({ cmd: 'connack', reasonCode: 0, sessionPresent: false });
        if (packet.cmd === 'subscribe')
          say({ cmd: 'suback', messageId: packet.messageId ?? 0, granted: packet.subscriptions.map(() => 1) });
        if (packet.cmd === 'publish' && packet.qos === 1)
          say({ cmd: 'puback', messageId: packet.messageId ?? 0, reasonCode: 0 });
        if (packet.cmd === 'pingreq') say({ cmd: 'pingresp' });
      });
      socket.on('data', (bytes: Buffer) => void reader.parse(bytes));
    });
    const port = await listen(server);
    return {
      port,
      received,
      say: (packet: Packet) => say(packet),
      write: (bytes: Buffer) => write(bytes),
      async [Symbol.asyncDispose]() {
        server.close();
      },
    };
  };

  test.concurrent(
    'a command that has expired or is delivered twice is not executed, and each is logged once',
    beside(async () => {
      await using standIn = await startStandIn();
      await using hostler = await startWith({ url: urlOf(standIn), scopes: ['read', 'command'] });
      const { id } = await connected(hostler);
      const topic = `hostler/${id}/command/command_mark`;
      await until(
        () =>
          standIn.received.some(
            (packet) => packet.cmd === 'subscribe' && JSON.stringify(packet).includes('command/+'),
          ) || null,
        long,
      );
      const press = { cmd: 'publish', topic, payload: 'PRESS', qos: 1, dup: false, retain: false } as const;
      const isDone = () => until(() => fs.existsSync(marker(hostler.directory)) || null, long);
      const logged = (words: string) => hostler.output().split(words).length - 1;
      for (const messageId of [1, 2]) standIn.say({ ...press, messageId, properties: { messageExpiryInterval: 0 } });
      await until(() => logged('it has expired') > 0 || null, long);
      expect(fs.existsSync(marker(hostler.directory))).toBe(false);
      standIn.say({ ...press, messageId: 3 });
      await isDone();
      const events = () =>
        standIn.received.filter(
          (packet) => packet.cmd === 'publish' && packet.topic.endsWith('/event/command_finished'),
        );
      await until(() => events().length === 1 || null, long);
      for (let round = 0; round < 2; round++) standIn.say({ ...press, dup: true, messageId: 3 });
      await until(() => logged('it was delivered twice') > 0 || null, long);
      // The same payload in a new message is executed: only the repetitions were not.
      fs.rmSync(marker(hostler.directory));
      standIn.say({ ...press, messageId: 4 });
      await isDone();
      await until(() => events().length === 2 || null, long);
      expect([logged('it has expired'), logged('it was delivered twice')]).toEqual([1, 1]);
    }),
    queued,
  );

  test.concurrent(
    'a flood of packets ends the connection with one log line, and the next connection works',
    beside(async () => {
      await using standIn = await startStandIn();
      await using hostler = await startWith({ url: urlOf(standIn) });
      await connected(hostler);
      const connects = () => standIn.received.filter(({ cmd }) => cmd === 'connect').length;
      const logged = () => hostler.output().split('sends more packets than are accepted').length - 1;
      for (const round of [1, 2]) {
        await until(async () => (connects() === round && (await statusOf(hostler)).connected) || null, long);
        standIn.write(Buffer.alloc(2 * 40_000, Buffer.of(0xd0, 0x00)));
        await until(() => logged() === round || null, long);
      }
      await until(() => connects() === 3 || null, long);
      await connected(hostler);
      expect(logged()).toBe(2);
    }),
    queued,
  );
});

describe.skipIf(!hasBroker)('arbitrary messages', () => {
  /** The same in every run. */
  const createRandom = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };

  test.concurrent(
    'to a machine with the scope read change nothing',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker) });
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      await announced(witness, id);
      const settingsFile = path.join(hostler.directory, 'config', 'settings.json');
      const settings = fs.readFileSync(settingsFile, 'utf8');
      const actions: { event: string; scopes: string[] }[] = await (await hostler.get('/api/actions')).json();
      const changing = actions.filter(({ scopes }) => !scopes.includes('read')).map(({ event }) => event);
      const random = createRandom(7);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
      const value = (depth = 0): unknown =>
        pick([
          () => null,
          () => random() * 1e6,
          () => pick(['', 'mark', 'ON', '../../etc/passwd', '\u0000', 'x'.repeat(2000), 'power', '__proto__']),
          () => random() > 0.5,
          () => (depth > 3 ? [] : Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1))),
          () =>
            depth > 3
              ? {}
              : Object.fromEntries(
                  ['commandID', 'action', 'value', 'mqtt', 'scopes', 'id', 'title', '__proto__']
                    .filter(() => random() > 0.6)
                    .map((key) => [key, value(depth + 1)]),
                ),
        ])();
      const spoil = (text: string) => {
        const at = Math.floor(random() * text.length);
        return random() > 0.7
          ? `${text.slice(0, at)}${pick(['"', '{', '\u0001', ',', '', '9e999'])}${text.slice(at + 1)}`
          : text;
      };
      const lines = Array.from({ length: 1500 }, () => spoil(JSON.stringify({ event: pick(changing), data: value() })));
      publishLines(broker, `hostler/${id}/request`, lines);
      for (const key of ['command_mark', 'power_shutdown', 'notify', 'volume', 'nothing'])
        publishLines(broker, `hostler/${id}/command/${key}`, lines.slice(0, 100));
      // The last of all: everything before it was processed. It is ignored while the rate limit is exceeded.
      const answerTo = ['-D', 'publish', 'response-topic', 'the/end'];
      await until(async () => {
        publish(broker, `hostler/${id}/request`, '{"event":"GET_SETTINGS"}', ...answerTo);
        await Bun.sleep(500);
        return witness.last('the/end');
      }, long);
      expect(fs.existsSync(marker(hostler.directory))).toBe(false);
      expect(fs.readFileSync(settingsFile, 'utf8')).toBe(settings);
      expect(fs.existsSync(path.join(hostler.directory, 'state', 'mqtt-acting.log'))).toBe(false);
      expect(witness.all().filter(({ topic }) => topic.includes('/event/'))).toEqual([]);
      expect(await statusOf(hostler)).toMatchObject({ connected: true, controls: [] });
      // Nor is the log filled by it.
      expect(hostler.output().split('\n').length).toBeLessThan(150);
    }),
    queued,
  );
});

describe.skipIf(!hasBroker)('a flood of birth messages', () => {
  test.concurrent(
    'causes one announcement, not one for each',
    beside(async () => {
      await using broker = await openBroker('max_queued_messages 0');
      await using hostler = await startWith({ url: urlOf(broker), scopes: ['read', 'command'] });
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      await announced(witness, id);
      const configs = () => witness.all().filter(({ topic }) => topic === `homeassistant/device/hostler_${id}/config`);
      const before = configs().length;
      publishLines(broker, 'homeassistant/status', Array(5000).fill('online'));
      // Answered after them, on the same connection.
      publish(broker, `hostler/${id}/command/command_mark`, 'PRESS');
      await until(() => fs.existsSync(marker(hostler.directory)) || null, long);
      await until(() => configs().length > before || null, long);
      // The settings are announced by the next announcement, 10 s later; the flood has not caused any between.
      await runHostler(['settings', 'set', 'commands.allowlist', '[]'], { directory: hostler.directory });
      const last = () => JSON.parse(configs().at(-1)?.payload ?? '{}');
      await until(() => (componentsOf(last()).command_mark === undefined ? true : null), long);
      expect(configs().length - before).toBeLessThanOrEqual(6);
    }),
    queued,
  );
});

describe.skipIf(!hasBroker || !hasNetworks())('a network that is cut', () => {
  test.concurrent(
    'is detected on both sides, and everything is announced again when it is restored',
    beside(async () => {
      const machine = createPrivateNetwork('mqtt-machine');
      const other = createPrivateNetwork('mqtt-broker');
      try {
        machine.ip(`link add way type veth peer name way netns ${other.within.at(-1)}`);
        machine.ip('addr add 10.99.0.1/24 dev way');
        machine.ip('link set way up');
        other.ip('addr add 10.99.0.2/24 dev way');
        other.ip('link set way up');
        await using broker = await startBroker(
          ['listener PORT 10.99.0.2', 'allow_anonymous true', 'max_keepalive 10'],
          () => {},
          other.within,
        );
        await using hostler = await startWith({ url: `mqtt://10.99.0.2:${broker.port}` }, null, {
          through: [...machine.within],
        });
        const { directory } = hostler;
        // Over the socket of this user: its port is in the other network.
        const status = async () => {
          const { stdout } = await runHostler(['mqtt', 'status', '--json'], { directory });
          // A service that is still queued does not answer.
          return stdout === '' ? {} : JSON.parse(stdout);
        };
        const isConnected = (wanted: boolean) =>
          until(async () => {
            const found = await status();
            return found.connected === wanted ? found : null;
          }, long);
        const { id } = await isConnected(true);
        const online = () => broker.log().split(`'hostler/${id}/availability'`).length - 1;
        await until(() => online() === 1 || null, long);
        // Neither side is notified: packets are lost silently.
        other.ip('link set way down');
        await isConnected(false);
        // The following attempts have other problems.
        await until(() => hostler.output().includes('did not answer a ping within 20 s') || null, long);
        await until(() => /exceeded timeout|closed its connection/.test(broker.log()) || null, long);
        other.ip('link set way up');
        await isConnected(true);
        await until(() => online() === 2 || null, long);
      } finally {
        machine.remove();
        other.remove();
      }
    }),
    queued,
  );
});

describe.skipIf(!hasBroker)('a broker that takes one message at a time', () => {
  test.concurrent(
    'gets them all, in order',
    beside(async () => {
      await using broker = await openBroker('max_inflight_messages 1', 'max_queued_messages 5');
      await using witness = await startWitness(broker);
      await using hostler = await startWith({ url: urlOf(broker), discovery: 'entity' });
      const { id } = await connected(hostler);
      const configs = () =>
        witness.all().filter(({ topic }) => topic.startsWith('homeassistant/') && topic.includes(id));
      await hasPayload(witness, `hostler/${id}/availability`, 'online');
      const { entities } = await until(async () => {
        const status = await statusOf(hostler);
        return status.entities > 5 && new Set(configs().map(({ topic }) => topic)).size >= status.entities
          ? status
          : null;
      }, long);
      expect(entities).toBeGreaterThan(5);
      expect(hostler.output()).not.toContain('could not be published');
    }),
    queued,
  );
});

describe('aedes, a third broker, which knows 3.1.1 only', () => {
  test.concurrent(
    'gets everything, and its commands are executed',
    beside(async () => {
      const broker = await Aedes.createBroker();
      const seen = new Map<string, string>();
      broker.on('publish', ({ topic, payload }) => void seen.set(topic, payload.toString()));
      const server = net.createServer(broker.handle);
      const port = await listen(server);
      try {
        await using hostler = await startWith({ url: urlOf({ port }), scopes: ['read', 'command'] });
        const { id, protocol } = await connected(hostler);
        expect(protocol).toBe('3.1.1');
        const config = await until(() => seen.get(`homeassistant/device/hostler_${id}/config`) ?? null, long);
        expect(discoveryProblems(JSON.parse(config))).toEqual([]);
        expect(Object.keys(componentsOf(JSON.parse(config)))).toContain('command_mark');
        expect(seen.get(`hostler/${id}/availability`)).toBe('online');
        await until(() => seen.get(`hostler/${id}/state/memory`) ?? null, long);
        const press = { cmd: 'publish', qos: 1, dup: false, retain: false } as const;
        broker.publish({ ...press, topic: `hostler/${id}/command/command_mark`, payload: 'PRESS' }, () => {});
        await until(() => fs.existsSync(marker(hostler.directory)) || null, long);
        await hostler.stop();
        await until(() => seen.get(`hostler/${id}/availability`) === 'offline' || null, long);
      } finally {
        server.close();
        broker.close();
      }
    }),
    queued,
  );
});

describe.skipIf(!hasBroker || !needs('dunst', 'Xvfb', 'dbus-daemon'))('a notification', () => {
  test.concurrent(
    'that was sent through a broker reports when it is closed',
    beside(async () => {
      const dunst: PrivateDunst = await startPrivateDunst();
      try {
        await using broker = await openBroker();
        await using hostler = await startWith({ url: urlOf(broker), scopes: ['read', 'notify'] }, null, {
          env: dunst.variables,
        });
        const { id } = await connected(hostler);
        await using witness = await startWitness(broker);
        await until(async () => ((await statusOf(hostler)).controls.includes('notify') ? true : null), long);
        await announced(witness, id);
        publish(broker, `hostler/${id}/command/notify`, 'Dinner is ready');
        await until(() => dunst.shown() === 1 || null, long);
        dunst.close();
        const event = JSON.parse(await payloadAt(witness, `hostler/${id}/event/notification`));
        expect(event).toMatchObject({ event_type: 'closed', reason: 'dismissed', id: expect.any(Number) });
      } finally {
        await dunst.remove();
      }
    }),
    queued,
  );
});

describe.skipIf(!needs(python))('the password', () => {
  /** Answers the prompts of a program in a terminal; prints the screen and the arguments of the program. */
  const script = `
import json, os, pty, sys
answers = [('Broker', 'mqtt://127.0.0.1:9'), ('User name', 'me'), ('Password', 'secret words')]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
screen, called = b'', b''
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    screen += piece
    if answers and answers[0][0].encode() in screen:
        called = open('/proc/%d/cmdline' % pid, 'rb').read() + open('/proc/%d/environ' % pid, 'rb').read()
        os.write(terminal, answers.pop(0)[1].encode() + b'\\r')
_, status = os.waitpid(pid, 0)
print(json.dumps({'screen': screen.decode(), 'called': called.decode(), 'code': os.waitstatus_to_exitcode(status)}))
`;

  test.concurrent(
    'is typed without echo, and is never an argument',
    beside(async () => {
      await using hostler = await startHostler();
      const { directory } = hostler;
      const { stdout, stderr } = spawnSync(python, ['-c', script, ...commandLine(false), 'mqtt', 'setup', '--force'], {
        encoding: 'utf8',
        env: serviceEnvironment(directory, { TERM: 'xterm' }),
      });
      expect(stderr).toBe('');
      const { screen, called, code } = JSON.parse(stdout);
      expect([code, screen]).toEqual([0, expect.stringContaining('Password (not shown)')]);
      // Values that are not secret are echoed as usual.
      expect(screen).toContain('mqtt://127.0.0.1:9');
      expect(screen).not.toContain('secret');
      expect(called).toContain('setup');
      expect(called).not.toContain('secret');
      const kept = path.join(directory, 'state', 'mqtt-password');
      expect([fs.readFileSync(kept, 'utf8'), fs.statSync(kept).mode & 0o777]).toEqual([
        'secret words\nmqtt://127.0.0.1:9\n',
        0o600,
      ]);
      expect(fs.readFileSync(path.join(directory, 'config', 'settings.json'), 'utf8')).not.toContain('secret');
      expect((await runHostler(['mqtt', 'setup', '--password', 'x'], { directory })).code).not.toBe(0);
    }),
    queued,
  );
});

describe.skipIf(!hasBroker || !needs('chromium'))('the dashboard', () => {
  test.concurrent(
    'shows the broker, since when it is connected, what is published, and what may be controlled',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker), scopes: ['read', 'command'] });
      await until(async () => ((await statusOf(hostler)).controls.includes('command_mark') ? true : null), long);
      const chromium = await launchBrowser();
      try {
        const { page, close } = await chromium.open({ token: hostler.token });
        await page.goto(`${hostler.base}/connections`);
        const card = page.getByRole('region', { name: 'MQTT' });
        await card.getByText('MQTT 5').waitFor();
        const text = await card.innerText();
        for (const part of [urlOf(broker), 'not encrypted', 'memory', 'command_mark', 'run the allow-listed commands'])
          expect(text).toContain(part);
        await broker.stop();
        await card.getByText('next attempt').waitFor();
        const doctor = await runHostler(['doctor'], { directory: hostler.directory });
        expect(doctor.stdout).toMatch(/✗ mqtt .*\n\s+✗ .+\n\s+! Every client that can publish/);
        await close();
      } finally {
        await chromium.close();
      }
    }),
    queued,
  );
});
