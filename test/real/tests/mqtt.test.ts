import { describe, expect, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { discoveryProblems } from '../../harness/home-assistant.ts';
import {
  type Broker,
  makeCertificates,
  openBroker,
  publish,
  publishLines,
  startBroker,
  startNats,
  startWitness,
} from '../harness/broker.ts';
import { createPrivateBus } from '../harness/bus.ts';
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
import { findProgram, needs } from '../harness/parts.ts';
import { root, runHostler, startHostler, until } from '../harness/service.ts';
import { createSideBySide, queued } from '../harness/side-by-side.ts';

const beside = createSideBySide();
const hasBroker = needs('mosquitto', 'mosquitto_sub', 'mosquitto_pub');

describe.skipIf(!hasBroker)('a machine at a real broker', () => {
  test.concurrent(
    'publishes its description, retained, in a form that Home Assistant accepts',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker) });
      const { id, protocol } = await connected(hostler);
      expect(protocol).toBe('5');
      await using witness = await startWitness(broker);
      const message = await announced(witness, id);
      expect(discoveryProblems(message)).toEqual([]);
      expect(componentsOf(message).power_state).not.toHaveProperty('availability_topic');
      const base = `hostler/${id}`;
      await hasPayload(witness, `${base}/availability`, 'online');
      await hasPayload(witness, `${base}/power_state`, 'on');
      const memory = JSON.parse(await payloadAt(witness, `${base}/state/memory`));
      expect(memory.virtual.total).toBe((await (await hostler.get('/api/data/memory')).json()).virtual.total);
      // Every entity finds its value at its announced topic.
      for (const [key, { state_topic: topic, platform, value_template: template }] of Object.entries(
        componentsOf(message),
      )) {
        if (template === undefined || platform === 'button') continue;
        expect([key, Object.keys(JSON.parse(await payloadAt(witness, String(topic))))]).toEqual([
          key,
          expect.arrayContaining([key]),
        ]);
      }
      await using latecomer = await startWitness(broker);
      await announced(latecomer, id);
      expect(latecomer.all().filter(({ topic, retain }) => topic.startsWith('homeassistant/') && !retain)).toEqual([]);
      expect(Object.values(componentsOf(message)).filter((config) => 'command_topic' in config)).toEqual([]);
      expect(await hostler.stop()).toBe(0);
      await hasPayload(witness, `${base}/availability`, 'offline');
    }),
    queued,
  );

  test.concurrent(
    'announces the same ids after a restart, and withdraws what is gone',
    beside(async () => {
      await using broker = await openBroker();
      await using first = await startWith({ url: urlOf(broker), scopes: ['read', 'command'] });
      const { id } = await connected(first);
      await using witness = await startWitness(broker);
      const before = await until(async () => {
        const message = await announced(witness, id);
        return 'command_mark' in componentsOf(message) ? message : null;
      }, long);
      const remembered = fs.readFileSync(path.join(first.directory, 'state', 'mqtt.json'), 'utf8');
      await first.stop();
      await using second = await startWith({ url: urlOf(broker), scopes: ['read'] }, remembered);
      await connected(second);
      const config = `homeassistant/device/hostler_${id}/config`;
      // Withdrawn once, and then not announced.
      await until(
        () => (JSON.parse(witness.last(config) ?? '{}').components?.command_mark === undefined ? true : null),
        long,
      );
      const announcements = witness
        .all()
        .filter(({ topic }) => topic === config)
        .map(({ payload }) => JSON.parse(payload));
      expect(announcements.map(({ components }) => components.command_mark)).toContainEqual({ platform: 'button' });
      const ids = (components: Record<string, Record<string, unknown>>) =>
        Object.entries(components).map(([key, { unique_id }]) => [key, unique_id]);
      const expected = ids(componentsOf(before)).filter(
        ([key]) => !['command_mark', 'command_finished'].includes(String(key)),
      );
      // What becomes known later, such as the interfaces of a busy machine, is announced later.
      const isThere = ([key, unique]: unknown[], now: unknown[][]) =>
        now.some(([name, other]) => name === key && other === unique);
      const missing = () => {
        const now = ids(componentsOf(JSON.parse(witness.last(config) ?? '{}')));
        return expected.filter((entry) => !isThere(entry, now));
      };
      await until(() => (missing().length === 0 ? true : null), long).catch(() => {});
      expect(missing()).toEqual([]);
    }),
    queued,
  );

  test.concurrent(
    'executes a button, and answers a request once for each correlation',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker), scopes: ['read', 'command'] });
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      await until(async () => ((await statusOf(hostler)).controls.includes('command_mark') ? true : null), long);
      await announced(witness, id);
      publish(broker, `hostler/${id}/command/command_mark`, 'PRESS');
      await until(() => fs.existsSync(marker(hostler.directory)) || null, long);
      await payloadAt(witness, `hostler/${id}/event/command_finished`);
      fs.rmSync(marker(hostler.directory));
      const request = JSON.stringify({ event: 'COMMAND_EXECUTE', data: { commandID: 'mark' } });
      const properties = [
        '-D',
        'publish',
        'response-topic',
        'answers/here',
        '-D',
        'publish',
        'correlation-data',
        'one',
      ];
      const answers = () => witness.all().filter(({ topic }) => topic === 'answers/here');
      publish(broker, `hostler/${id}/request`, request, ...properties);
      await until(() => answers().length === 1 || null, long);
      expect(JSON.parse(answers()[0]?.payload ?? '')).toMatchObject({
        type: 'COMMAND_COMPLETED',
        data: { exitCode: 0 },
      });
      fs.rmSync(marker(hostler.directory));
      publish(broker, `hostler/${id}/request`, request, ...properties);
      await until(() => answers().length === 2 || null, long);
      expect(fs.existsSync(marker(hostler.directory))).toBe(false);
      const audit = fs.readFileSync(path.join(hostler.directory, 'state', 'mqtt-acting.log'), 'utf8');
      expect(
        audit
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line).decision),
      ).toEqual(['started', 'done', 'started', 'done']);
    }),
    queued,
  );

  test.concurrent(
    'ignores a retained, an oversized, a foreign and a malformed command, and logs each once',
    beside(async () => {
      await using broker = await openBroker();
      // Retained before the service subscribes.
      await using hostler = await startWith({ url: urlOf(broker), scopes: ['read', 'command'] });
      const { id } = await connected(hostler);
      await until(async () => ((await statusOf(hostler)).controls.includes('command_mark') ? true : null), long);
      await using witness = await startWitness(broker);
      await announced(witness, id);
      const topic = `hostler/${id}/command/command_mark`;
      const twice = (...args: Parameters<typeof publish>) => {
        publish(...args);
        publish(...args);
      };
      twice(broker, topic, 'PRESS', '-r');
      publish(broker, topic, '', '-r');
      twice(broker, topic, `PRESS${' '.repeat(70_000)}`);
      twice(broker, topic, 'press');
      twice(broker, topic, Buffer.from([0xff, 0xfe]).toString('latin1'));
      twice(broker, `hostler/${id}/command/power_shutdown`, 'PRESS');
      twice(broker, `hostler/${id}/request`, '{"event":');
      twice(broker, `hostler/${id}/request`, '{"event":"EXIT_APPLICATION"}');
      twice(
        broker,
        `hostler/${id}/request`,
        '{"event":"COMMAND_EXECUTE","data":{"commandID":"mark"}}',
        '-D',
        'publish',
        'response-topic',
        `hostler/${id}/command/command_mark`,
      );
      const log = () => hostler.output().split('\n');
      const lines = (words: string) => log().filter((line) => line.includes(words)).length;
      await until(() => lines('response topic is not allowed') > 0 || null, long);
      expect(lines('it was retained')).toBe(1);
      expect(lines('longer than 65536 bytes')).toBe(1);
      expect(lines('its value is not valid')).toBe(1);
      expect(lines('there is no such control')).toBe(1);
      expect(lines('The request is not JSON')).toBe(1);
      expect(lines('lacks the scope')).toBe(1);
      expect(lines('response topic is not allowed')).toBe(1);
      expect(fs.existsSync(marker(hostler.directory))).toBe(false);
      // A valid command is still executed.
      publish(broker, topic, 'PRESS');
      await until(() => fs.existsSync(marker(hostler.directory)) || null, long);
    }),
    queued,
  );

  test.concurrent(
    'with the scope read executes no command',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker) });
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      await announced(witness, id);
      const settings = fs.readFileSync(path.join(hostler.directory, 'config', 'settings.json'), 'utf8');
      const actions: { event: string; scopes: string[] }[] = await (await hostler.get('/api/actions')).json();
      const changing = actions.filter(({ scopes }) => !scopes.includes('read'));
      expect(changing.length).toBeGreaterThan(10);
      const inputs = ['{}', '{"commandID":"mark"}', '{"action":"MUTE","value":true}', '{"mqtt":{"scopes":["power"]}}'];
      const requests = changing.flatMap(({ event }) => inputs.map((data) => `{"event":"${event}","data":${data}}`));
      publishLines(broker, `hostler/${id}/request`, requests, '-D', 'publish', 'response-topic', 'fuzz/answers');
      for (const key of ['command_mark', 'power_lock', 'volume', 'x'.repeat(300)])
        publish(broker, `hostler/${id}/command/${key}`, 'PRESS');
      const answers = () => witness.all().filter(({ topic }) => topic === 'fuzz/answers');
      // Requests over the limit are not answered: the last one is repeated until it is.
      await until(async () => {
        publish(broker, `hostler/${id}/request`, '{}', '-D', 'publish', 'response-topic', 'the/end');
        await Bun.sleep(500);
        return witness.last('the/end');
      }, long);
      expect(answers().length).toBeGreaterThanOrEqual(Math.min(60, requests.length));
      const kinds = new Set(answers().map(({ payload }) => JSON.parse(payload).subtype));
      expect([...kinds].filter((kind) => !['FORBIDDEN', 'RATE_LIMITED'].includes(kind))).toEqual([]);
      expect(fs.existsSync(marker(hostler.directory))).toBe(false);
      expect(fs.readFileSync(path.join(hostler.directory, 'config', 'settings.json'), 'utf8')).toBe(settings);
      expect((await statusOf(hostler)).connected).toBe(true);
      expect(fs.existsSync(path.join(hostler.directory, 'state', 'mqtt-acting.log'))).toBe(false);
    }),
    queued,
  );
});

describe.skipIf(!hasBroker)('a broker that goes away', () => {
  test.concurrent.each(['SIGTERM', 'SIGKILL'] as const)(
    'by %s is found again when it is back, and everything is announced again',
    beside(async (signal: NodeJS.Signals) => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker) });
      const { id } = await connected(hostler);
      await broker.stop(signal);
      await until(async () => ((await statusOf(hostler)).connected ? null : true), long);
      expect((await hostler.get('/api/health')).status).toBe(200);
      await broker.start();
      await connected(hostler);
      // The broker stored nothing.
      await using witness = await startWitness(broker);
      expect(discoveryProblems(await announced(witness, id))).toEqual([]);
      await hasPayload(witness, `hostler/${id}/availability`, 'online');
      await payloadAt(witness, `hostler/${id}/state/memory`);
    }),
    queued,
  );

  test.concurrent(
    'that stops responding is given up after a timeout, and nothing else suffers',
    beside(async () => {
      await using broker = await openBroker('max_keepalive 10');
      await using hostler = await startWith({ url: urlOf(broker) });
      await connected(hostler);
      process.kill(broker.pid(), 'SIGSTOP');
      try {
        await until(async () => ((await statusOf(hostler)).connected ? null : true), long);
        expect((await statusOf(hostler)).problem).toContain('within 20 s');
        expect((await hostler.get('/api/data/memory')).status).toBe(200);
      } finally {
        process.kill(broker.pid(), 'SIGCONT');
      }
      await connected(hostler);
    }),
    queued,
  );

  test.concurrent(
    'reports the machine as offline when the machine dies silently',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker) });
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      await hasPayload(witness, `hostler/${id}/availability`, 'online');
      await hostler.stop('SIGKILL');
      await hasPayload(witness, `hostler/${id}/availability`, 'offline');
      await hasPayload(witness, `hostler/${id}/power_state`, 'on');
    }),
    queued,
  );
});

describe.skipIf(!hasBroker || !needs('openssl'))('a broker with authentication', () => {
  const guarded = () =>
    startBroker(
      [
        'listener PORT 127.0.0.1',
        'cafile DIR/ca.pem',
        'certfile DIR/server.pem',
        'keyfile DIR/server.key',
        'require_certificate true',
        'allow_anonymous false',
        'password_file DIR/passwords',
        'acl_file DIR/acl',
      ],
      (directory) => {
        makeCertificates(directory, { server: 'broker.test', client: 'machine' });
        spawnSync(findProgram('mosquitto_passwd') ?? '', [
          '-b',
          '-c',
          path.join(directory, 'passwords'),
          'machine',
          'secret words',
        ]);
        const shipped = fs.readFileSync(path.join(root, 'deploy', 'mosquitto', 'acl'), 'utf8');
        fs.writeFileSync(path.join(directory, 'acl'), shipped.replace('user hostler', 'user machine'));
      },
    );

  const tls = ({ port, directory }: Broker, given: Record<string, string> = {}) => ({
    url: `mqtts://127.0.0.1:${port}`,
    username: 'machine',
    caFile: path.join(directory, 'ca.pem'),
    certificateFile: path.join(directory, 'client.pem'),
    keyFile: path.join(directory, 'client.key'),
    serverName: 'broker.test',
    ...given,
  });

  const withPassword = (settings: Record<string, unknown>, password: string) =>
    startHostler({
      prepare(directory) {
        for (const place of ['config', 'state'])
          fs.mkdirSync(path.join(directory, place), { recursive: true, mode: 0o700 });
        fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ mqtt: settings }));
        fs.writeFileSync(path.join(directory, 'state', 'mqtt-password'), password, { mode: 0o600 });
      },
    });

  test.concurrent(
    'admits clients with certificate and password',
    beside(async () => {
      await using broker = await guarded();
      await using hostler = await withPassword(tls(broker), 'secret words\n');
      await connected(hostler);
      await until(async () => ((await statusOf(hostler)).entities > 5 ? true : null), long);
      expect(broker.log()).not.toContain('Denied');
      expect(hostler.output()).not.toContain('secret words');
      expect(JSON.stringify(await statusOf(hostler))).not.toContain('secret words');
    }),
    queued,
  );

  test.concurrent.each([
    ['a wrong password', {}, 'wrong', 'user name or password|not allowed'],
    [
      'a name that is not its own',
      { serverName: 'other.test' },
      'secret words',
      'certificate of .* not valid for other.test',
    ],
    [
      'an authority that is not configured',
      { caFile: '' },
      'secret words',
      'certificate of .* not valid for broker.test',
    ],
    ['a file that is not there', { keyFile: '/nowhere/key.pem' }, 'secret words', 'mqtt.keyFile: there is no file'],
  ] as const)(
    '%s is refused, and nothing is sent',
    beside(async (_what: string, change: Record<string, string>, password: string, expected: string) => {
      await using broker = await guarded();
      await using hostler = await withPassword(tls(broker, change), password);
      const problem = await until(async () => (await statusOf(hostler)).problem, long);
      expect(problem).toMatch(new RegExp(expected));
      expect((await statusOf(hostler)).connected).toBe(false);
      expect(broker.log()).not.toContain('PUBLISH');
    }),
    queued,
  );
});

describe.skipIf(!needs('nats-server', 'openssl'))('another broker, which supports only 3.1.1', () => {
  test.concurrent(
    'gets everything, also over WebSocket with TLS, if its certificate is trusted',
    beside(async () => {
      await using nats = await startNats();
      await using plain = await startWith({ url: urlOf(nats) });
      expect((await connected(plain)).protocol).toBe('3.1.1');
      await until(async () => ((await statusOf(plain)).entities > 5 ? true : null), long);
      await plain.stop();
      const web = { url: `wss://localhost:${nats.webPort}/mqtt`, caFile: path.join(nats.directory, 'ca.pem') };
      await using hostler = await startWith(web);
      await connected(hostler);
      await hostler.stop();
      await using untrusting = await startWith({ ...web, caFile: '' });
      expect(await until(async () => (await statusOf(untrusting)).problem, long)).toContain('certificate');
      expect((await statusOf(untrusting)).connected).toBe(false);
    }),
    queued,
  );
});

const python = '/usr/bin/python3';
const hasMocks = () =>
  needs('dbus-daemon', python) &&
  (spawnSync(python, ['-c', 'import dbusmock, gi']).status === 0 || needs('python3-dbusmock'));

describe.skipIf(!hasBroker || !hasMocks())('a machine that goes to sleep', () => {
  /** The signals that logind would emit. */
  const announce = `
import dbus, sys
bus = dbus.bus.BusConnection(sys.argv[1])
mock = dbus.Interface(bus.get_object('org.freedesktop.login1', '/org/freedesktop/login1'), 'org.freedesktop.DBus.Mock')
mock.EmitSignal('org.freedesktop.login1.Manager', sys.argv[2], 'b', [sys.argv[3] == 'true'])
`;

  test.concurrent(
    'announces that before, reconnects with a clean session, and reports off before a shutdown',
    beside(async () => {
      await using broker = await openBroker();
      const bus = createPrivateBus();
      await bus.start();
      const mock = spawn(python, ['-m', 'dbusmock', '--system', '--template', 'logind'], {
        env: { PATH: process.env.PATH ?? '', DBUS_SYSTEM_BUS_ADDRESS: bus.address },
        stdio: 'ignore',
      });
      try {
        const call = (member: string, value: boolean) =>
          spawnSync(python, ['-c', announce, bus.address, member, String(value)]).status;
        await until(() => (call('Ready', true) === 0 ? true : null), long);
        await using hostler = await startWith({ url: urlOf(broker) }, null, {
          env: { DBUS_SYSTEM_BUS_ADDRESS: bus.address },
        });
        const { id, since } = await connected(hostler);
        await using witness = await startWitness(broker);
        await announced(witness, id);
        const says = (state: string, member: string, value: boolean) =>
          until(() => {
            // It may not have subscribed yet.
            if (witness.last(`hostler/${id}/power_state`) === state) return true;
            call(member, value);
            return null;
          }, long);
        await says('sleeping', 'PrepareForSleep', true);
        await says('on', 'PrepareForSleep', false);
        await until(async () => {
          const status = await statusOf(hostler);
          return status.connected && status.since !== since ? true : null;
        }, long);
        await says('off', 'PrepareForShutdown', true);
        await says('on', 'PrepareForShutdown', false);
      } finally {
        mock.kill('SIGKILL');
        await bus.remove();
      }
    }),
    queued,
  );
});

describe('a peer that is not an MQTT 5 broker', () => {
  /** Answers every connection with these bytes. */
  const babbler = async (answer: (received: Buffer) => Buffer | null) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (bytes: Buffer) => {
        const said = answer(bytes);
        if (said === null) socket.destroy();
        else socket.write(said);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    return {
      port: typeof address === 'object' && address !== null ? address.port : 0,
      async [Symbol.asyncDispose]() {
        server.close();
      },
    };
  };

  test.concurrent(
    'that supports only 3.1.1 is used with that version',
    beside(async () => {
      const connects: number[] = [];
      await using old = await babbler((bytes) => {
        if (bytes[0] !== 0x10) return Buffer.alloc(0);
        const version = bytes[bytes.indexOf('MQTT') + 4] ?? 0;
        connects.push(version);
        return Buffer.from([0x20, 2, 0, version === 5 ? 1 : 0]);
      });
      await using hostler = await startWith({ url: urlOf(old) });
      const { protocol } = await until(async () => {
        const status = await statusOf(hostler);
        return status.protocol === null ? null : status;
      }, long);
      expect(protocol).toBe('3.1.1');
      expect(connects.slice(0, 2)).toEqual([5, 4]);
    }),
    queued,
  );

  test.concurrent(
    'that closes the connection silently at version 5 is used with 3.1.1',
    beside(async () => {
      await using old = await babbler((bytes) => {
        if (bytes[0] !== 0x10) return Buffer.alloc(0);
        return bytes[bytes.indexOf('MQTT') + 4] === 5 ? null : Buffer.from([0x20, 2, 0, 0]);
      });
      await using hostler = await startWith({ url: urlOf(old) });
      await until(async () => ((await statusOf(hostler)).protocol === '3.1.1' ? true : null), long);
    }),
    queued,
  );

  test.concurrent.each([
    ['junk', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a length that never ends', Buffer.from([0x20, 0xff, 0xff, 0xff, 0xff])],
    ['a packet of 200 MB', Buffer.from([0x30, 0x80, 0xc0, 0xae, 0x5f])],
    ['zeros', Buffer.alloc(64)],
  ])(
    'that sends %s loses the connection, and the service continues',
    beside(async (_what: string, bytes: Buffer) => {
      await using odd = await babbler(() => bytes);
      await using hostler = await startWith({ url: urlOf(odd) });
      const problem = await until(async () => (await statusOf(hostler)).problem, long);
      expect(problem).toMatch(/The broker|closed/);
      expect((await hostler.get('/api/health')).status).toBe(200);
    }),
    queued,
  );
});

describe.skipIf(!hasBroker)('the command line', () => {
  test.concurrent(
    'sets up, shows and forgets; the password comes from a file and is stored for the owner only',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startHostler();
      const { directory } = hostler;
      const file = path.join(directory, 'password.txt');
      fs.writeFileSync(file, 'secret words\n');
      const setUp = await runHostler(
        ['mqtt', 'setup', '--url', urlOf(broker), '--username', 'me', '--password-file', file],
        { directory },
      );
      expect([setUp.code, setUp.stderr]).toEqual([0, '']);
      expect(setUp.stdout).toContain('nothing can be controlled');
      expect(setUp.stdout).not.toContain('secret words');
      const kept = path.join(directory, 'state', 'mqtt-password');
      expect(fs.statSync(kept).mode & 0o777).toBe(0o600);
      expect(fs.readFileSync(kept, 'utf8')).toMatch(/^secret words\nmqtts?:\/\/[^/]+\n$/);
      const { id } = await connected(hostler);
      const status = await runHostler(['mqtt', 'status', '--json'], { directory });
      expect(JSON.parse(status.stdout)).toMatchObject({ connected: true, scopes: ['read'] });
      const doctor = await runHostler(['doctor'], { directory });
      expect(doctor.stdout).toContain('nothing can be controlled');
      await using before = await startWitness(broker);
      await announced(before, id);
      const forgotten = await runHostler(['mqtt', 'forget'], { directory });
      expect([forgotten.code, forgotten.stderr]).toEqual([0, '']);
      expect(fs.existsSync(kept)).toBe(false);
      await hasPayload(before, `homeassistant/device/hostler_${id}/config`, '');
      await using after = await startWitness(broker);
      publish(broker, 'the/end', 'now');
      await payloadAt(after, 'the/end');
      expect(after.all().filter(({ retain }) => retain)).toEqual([]);
    }),
    queued,
  );

  test.concurrent(
    'checks the address before the password, and reports a wrong password and a broker that is gone',
    beside(async () => {
      await using broker = await startBroker(
        ['listener PORT 127.0.0.1', 'allow_anonymous false', 'password_file DIR/passwords'],
        (directory) => {
          const args = ['-b', '-c', path.join(directory, 'passwords'), 'me', 'secret words'];
          spawnSync(findProgram('mosquitto_passwd') ?? '', args);
        },
      );
      await using hostler = await startHostler();
      const { directory } = hostler;
      const given = (password: string) => {
        fs.writeFileSync(path.join(directory, 'password.txt'), password);
        return ['--username', 'me', '--password-file', path.join(directory, 'password.txt')];
      };
      const mqtt = (...args: string[]) => runHostler(['mqtt', ...args], { directory });
      const address = `127.0.0.1:${broker.port}`;
      // Without a password file a password would be asked for, and there is no input.
      const nowhere = await mqtt('setup', '--url', '127.0.0.1:1');
      expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('127.0.0.1:1 cannot be reached') });
      expect(await mqtt('setup', '--url', 'my broker')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not the address of a broker'),
      });
      expect(await mqtt('setup', '--url', address, ...given('wrong'))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('the user name or password is wrong'),
      });
      expect(fs.existsSync(path.join(directory, 'state', 'mqtt-password'))).toBe(false);
      expect((await statusOf(hostler)).enabled).toBe(false);
      expect((await mqtt('setup', '--url', address, ...given('secret words'))).stderr).toBe('');
      const before = await until(async () => {
        const status = await statusOf(hostler);
        return status.connected && status.messages > 3 ? status : null;
      }, long);
      // A change of the settings starts another session.
      await runHostler(['settings', 'set', 'mqtt.interval', '17'], { directory });
      await until(async () => {
        const status = await statusOf(hostler);
        return status.connected && status.since !== before.since ? true : null;
      }, long);
      expect((await statusOf(hostler)).messages).toBeGreaterThanOrEqual(before.messages);
      await broker.stop();
      await until(async () => ((await statusOf(hostler)).connected ? null : true), long);
      const refused = await mqtt('forget');
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('mqtt forget --force') });
      const forgotten = await mqtt('forget', '--force');
      expect(forgotten).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('still has') });
      for (const file of ['mqtt-password', 'mqtt.json'])
        expect(fs.existsSync(path.join(directory, 'state', file))).toBe(false);
      await until(async () => ((await statusOf(hostler)).enabled ? null : true), long);
    }),
    queued,
  );

  test.concurrent(
    'grants a new broker nothing that an earlier one had',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startHostler();
      const { directory } = hostler;
      const scopes = () =>
        JSON.parse(fs.readFileSync(path.join(directory, 'config', 'settings.json'), 'utf8')).mqtt.scopes;
      const setUp = ['mqtt', 'setup', urlOf(broker), '--username', ''];
      const granting = [...setUp, '--scope', 'read,power,command'];
      expect((await runHostler(granting, { directory })).code).toBe(0);
      expect(scopes()).toEqual(['read', 'power', 'command']);
      // Without the option it is the default, regardless of earlier grants.
      expect((await runHostler(setUp, { directory })).stdout).toContain('nothing can be controlled');
      expect(scopes()).toEqual(['read']);
      expect((await runHostler(granting, { directory })).code).toBe(0);
      await connected(hostler);
      expect((await runHostler(['mqtt', 'forget'], { directory })).code).toBe(0);
      expect(scopes()).toEqual(['read']);
    }),
    queued,
  );

  test.concurrent(
    'migrates from one message for the device to one for each entity, as Home Assistant requires',
    beside(async () => {
      await using broker = await openBroker();
      await using hostler = await startWith({ url: urlOf(broker) });
      const { directory } = hostler;
      const { id } = await connected(hostler);
      await using witness = await startWitness(broker);
      const message = await announced(witness, id);
      await runHostler(['settings', 'set', 'mqtt.discovery', 'entity'], { directory });
      const config = `homeassistant/device/hostler_${id}/config`;
      await hasPayload(witness, config, '');
      const announcements = witness
        .all()
        .filter(({ topic }) => topic === config)
        .map(({ payload }) => payload);
      expect(announcements.at(-2)).toBe('{"migrate_discovery":true}');
      const one = JSON.parse(await payloadAt(witness, `homeassistant/sensor/hostler_${id}/memory_used/config`));
      expect(one).toMatchObject({
        unique_id: componentsOf(message).memory_used?.unique_id,
        origin: { name: 'Hostler' },
      });
      expect(one).not.toHaveProperty('platform');
    }),
    queued,
  );
});
