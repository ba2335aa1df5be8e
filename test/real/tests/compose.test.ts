import { describe, expect, onTestFinished, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { findProgram, needs } from '../harness/parts.ts';
import { root, until } from '../harness/service.ts';

const deployed = path.join(root, 'deploy');
const read = (file: string) => fs.readFileSync(path.join(deployed, file), 'utf8');

interface ComposeService {
  image: string;
  ports: string[];
  volumes: string[];
  command?: string[];
  environment?: Record<string, string>;
}

const text = read('compose.yaml');
const compose = Bun.YAML.parse(text) as { services: Record<string, ComposeService>; volumes: Record<string, null> };
const services = Object.entries(compose.services);
const mounts = services.flatMap(([, { volumes }]) =>
  volumes.map((volume) => {
    const [source = '', target = ''] = volume.split(':');
    return { source, target };
  }),
);

describe('compose.yaml', () => {
  test('names exact versions', () => {
    for (const [name, { image }] of services)
      expect([name, image]).toEqual([name, expect.stringMatching(/:v?\d+\.\d+\.\d+$/)]);
  });

  test('mounts files that are shipped, and volumes that it declares', () => {
    for (const { source } of mounts) {
      if (source.startsWith('./')) expect([source, fs.existsSync(path.join(deployed, source))]).toEqual([source, true]);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
  });

  test('exposes only the broker, which requires a password', () => {
    const open = services.flatMap(([name, { ports }]) =>
      ports.some((port) => !port.startsWith('127.0.0.1:')) ? [name] : [],
    );
    expect(open).toEqual(['broker']);
    expect(read('mosquitto/mosquitto.conf')).toContain('allow_anonymous false');
  });

  test('contains no password', () => {
    expect(compose.services.grafana?.environment?.GF_SECURITY_ADMIN_PASSWORD).toStartWith('${GRAFANA_PASSWORD:?');
    expect(text).not.toMatch(/password\s*[:=]\s*\w+$/im);
  });

  test('gives Prometheus the shipped job', () => {
    const config = compose.services.prometheus?.command?.find((argument) => argument.startsWith('--config.file='));
    const inside = config?.slice('--config.file='.length) ?? '';
    const mount = mounts.find(({ target }) => inside.startsWith(`${target}/`));
    expect(fs.existsSync(path.join(deployed, mount?.source ?? '', path.basename(inside)))).toBe(true);
  });

  test('gives Grafana Prometheus and our dashboard', () => {
    const sources = Bun.YAML.parse(read('grafana/provisioning/datasources/prometheus.yaml')) as {
      datasources: { type: string; url: string; isDefault: boolean }[];
    };
    const [source] = sources.datasources;
    expect(source).toMatchObject({ type: 'prometheus', isDefault: true });
    expect(Object.keys(compose.services)).toContain(new URL(source?.url ?? '').hostname);
    const found = Bun.YAML.parse(read('grafana/provisioning/dashboards/hostler.yaml')) as {
      providers: { options: { path: string } }[];
    };
    const directory = found.providers[0]?.options.path;
    const dashboard = mounts.find(({ target }) => path.dirname(target) === directory);
    expect(JSON.parse(read(dashboard?.source ?? '')).title).toContain('Hostler');
    expect(compose.services.grafana?.environment?.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(
      dashboard?.target ?? '',
    );
  });

  const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
  if (!hasCompose) console.warn('skipped: docker compose is not installed');
  test.skipIf(!hasCompose)('is accepted by docker compose', () => {
    const { status, stderr } = spawnSync(
      'docker',
      ['compose', '-f', path.join(deployed, 'compose.yaml'), 'config', '-q'],
      {
        encoding: 'utf8',
        env: { ...process.env, GRAFANA_PASSWORD: 'x' },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

describe.skipIf(!needs('mosquitto', 'mosquitto_passwd', 'mosquitto_pub', 'mosquitto_sub'))('the shipped broker', () => {
  test('admits clients with a password, as far as the access list allows', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-broker-'));
    onTestFinished(() => fs.rmSync(directory, { recursive: true, force: true }));
    fs.chmodSync(directory, 0o755);
    const port = await freePort();
    fs.cpSync(path.join(deployed, 'mosquitto', 'acl'), path.join(directory, 'acl'));
    fs.writeFileSync(
      path.join(directory, 'mosquitto.conf'),
      read('mosquitto/mosquitto.conf')
        .replace('listener 1883', `listener ${port} 127.0.0.1`)
        .replaceAll('/mosquitto/config/', `${directory}/`)
        .replace('/mosquitto/data/', `${directory}/`)
        .concat('user root\n'),
    );
    for (const user of ['hostler', 'homeassistant', 'unknown']) {
      const create = fs.existsSync(path.join(directory, 'passwd')) ? [] : ['-c'];
      const made = spawnSync(findProgram('mosquitto_passwd') ?? '', [
        ...create,
        '-b',
        `${directory}/passwd`,
        user,
        `of ${user}`,
      ]);
      expect(made.status).toBe(0);
    }
    fs.chmodSync(path.join(directory, 'passwd'), 0o644);
    const broker = spawn(findProgram('mosquitto') ?? '', ['-c', path.join(directory, 'mosquitto.conf')], {
      stdio: 'ignore',
    });
    onTestFinished(() => void broker.kill('SIGKILL'));
    await until(async () => {
      if (broker.exitCode !== null) throw new Error(`mosquitto ended with ${broker.exitCode}`);
      return (await answers(port)) ? true : null;
    });
    const as = (user: string, password = `of ${user}`) => [
      '-h',
      '127.0.0.1',
      '-p',
      String(port),
      '-u',
      user,
      '-P',
      password,
    ];
    const publish = (user: string[], topic: string, message: string) =>
      spawnSync(findProgram('mosquitto_pub') ?? '', [...user, '-q', '1', '-r', '-t', topic, '-m', message]).status;
    const retained = (user: string[], topic: string) =>
      spawnSync(findProgram('mosquitto_sub') ?? '', [...user, '-t', topic, '-C', '1', '-W', '3'], {
        encoding: 'utf8',
      }).stdout.trim();
    expect(publish(['-h', '127.0.0.1', '-p', String(port)], 'hostler/1/availability', 'online')).not.toBe(0);
    expect(publish(as('hostler', 'wrong'), 'hostler/1/availability', 'online')).not.toBe(0);
    publish(as('hostler'), 'hostler/1/availability', 'online');
    publish(as('hostler'), 'homeassistant/device/hostler_1/config', '{}');
    expect(retained(as('homeassistant'), 'hostler/1/availability')).toBe('online');
    expect(retained(as('homeassistant'), 'homeassistant/device/hostler_1/config')).toBe('{}');
    // A user without a line in the list can neither read nor write.
    publish(as('unknown'), 'hostler/1/availability', 'offline');
    expect(retained(as('unknown'), 'hostler/1/availability')).toBe('');
    expect(retained(as('homeassistant'), 'hostler/1/availability')).toBe('online');
    // A machine reads commands, and can neither send some to others nor play Home Assistant.
    publish(as('homeassistant'), 'hostler/1/command/lock', 'PRESS');
    expect(retained(as('hostler'), 'hostler/1/command/+')).toBe('PRESS');
    for (const topic of ['hostler/2/command/lock', 'hostler/2/request', 'homeassistant/status']) {
      publish(as('hostler'), topic, 'x');
      expect([topic, retained(as('homeassistant'), topic)]).toEqual([topic, '']);
    }
    publish(as('hostler'), 'somewhere/else', 'x');
    expect(retained(as('homeassistant'), 'somewhere/else')).toBe('');
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
