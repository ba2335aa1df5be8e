// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { ContainerEntry, Containers } from '../../../src/features/containers/containers.schema.ts';
import {
  hasEngines,
  podmanLimits,
  type RealEngine,
  startDocker,
  startPodman,
  startRootlessPodman,
} from '../harness/engines.ts';
import { createToken, postJson, type RunningHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';
import { startWebhookReceiver } from '../harness/webhook-receivers.ts';

setDefaultTimeout(600_000);

/** Without listeners it took 63 s under load. */
const noticedWithinMs = 180_000;

const canRun = hasEngines();
const docker = canRun ? await startDocker() : null;
const podman = canRun ? await startPodman() : null;
const rootless = canRun ? await startRootlessPodman() : null;
const allowlist = ['web', 'short', 'same', 'gone'];

const withSettings = (settings: unknown) => (directory: string) => {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
};

let hostler: RunningHostler;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  const sockets = [docker, podman].flatMap((engine) => engine?.socket ?? []);
  hostler = await startHostler({ prepare: withSettings({ containers: { allowlist, sockets } }) });
  for (const scope of ['read', 'containers']) {
    tokens[scope] = await createToken(hostler, `only ${scope}`, scope);
  }
});
afterAll(async () => {
  await hostler?.stop();
  await docker?.[Symbol.asyncDispose]();
  await podman?.[Symbol.asyncDispose]();
  await rootless?.[Symbol.asyncDispose]();
});

const read = async (from = hostler) => (await (await from.get('/api/data/containers')).json()) as Containers;

/** The container once it matches; a timeout reports its last state. */
async function seen(
  name: string,
  isSo: (container: ContainerEntry) => boolean,
  from = hostler,
): Promise<ContainerEntry> {
  let last: ContainerEntry | undefined;
  return await until(async () => {
    last = (await read(from)).containers.find((container) => container.name === name);
    return last !== undefined && isSo(last) ? last : null;
  }).catch((error) => {
    throw new Error(`${name} is ${JSON.stringify(last)}`, { cause: error });
  });
}

async function order(verb: string, body: unknown, token = tokens.containers ?? '', to = hostler) {
  const response = await postJson(to, `/api/container/${verb}`, body, token);
  return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
}

/** The first process of a container ignores signals that it does not handle, and the engine waits for it. */
const endsAtOnce = ['--stop-signal', 'SIGKILL'];

const run = (name: string, args: string[], ...command: string[]) =>
  docker?.cli('run', '-d', '--name', name, '--network', 'none', ...args, 'bb:1', ...command);
const inspect = (engine: RealEngine | null, format: string, name: string) =>
  engine?.cli('inspect', '-f', format, name) ?? '';

describe.skipIf(docker === null)('containers of a real Docker', () => {
  test('match docker ps, and their usage matches docker stats', async () => {
    run('web', ['--memory', '64m', '--label', 'com.docker.compose.project=shop', ...endsAtOnce], '/bin/sleep', '3000');
    const web = await seen('web', ({ state }) => state === 'running');
    const said = inspect(docker, '{{.Id}} {{.State.StartedAt}} {{.Config.Image}} {{.HostConfig.Memory}}', 'web');
    const [id, started = '', image, memory] = said.split(' ');
    expect(web).toMatchObject({ id, image, engine: 'docker', exit_code: null, oom: false, compose_project: 'shop' });
    expect(web.since).toBe(Math.floor(Date.parse(started) / 1000));
    expect(web.memory_limit).toBe(Number(memory));
    expect((await read()).engines).toContainEqual(
      expect.objectContaining({
        id: 'docker',
        reachable: true,
        version: docker?.cli('version', '-f', '{{.Server.Version}}'),
      }),
    );
    // Docker rounds to four digits; a program that has just been started still changes.
    await until(async () => {
      const stats = docker?.cli('stats', '--no-stream', '--format', '{{.MemUsage}}', 'web') ?? '';
      const { memory_used } = await seen('web', () => true);
      return Math.abs((memory_used ?? 0) - bytesOf(stats.split(' / ')[0] ?? '')) < 16 * 1024 ? true : null;
    });
  });

  test('count CPU time as docker stats does', async () => {
    run('busy', [], '/bin/sh', '-c', 'while true; do :; done');
    await seen('busy', ({ cpu_seconds }) => (cpu_seconds ?? 0) > 0.2);
    const before = await seen('busy', () => true);
    const group = groupOf('busy');
    const witness = cpuOf(group);
    const after = await seen('busy', ({ cpu_seconds }) => (cpu_seconds ?? 0) > (before.cpu_seconds ?? 0) + 0.2);
    const later = cpuOf(group);
    expect(after.cpu_seconds ?? 0).toBeGreaterThanOrEqual(before.cpu_seconds ?? 0);
    expect(after.cpu_seconds ?? 0).toBeLessThanOrEqual(later + 0.01);
    expect(later).toBeGreaterThan(witness);
    expect(after.cpu_usage ?? 0).toBeGreaterThan(1);
    docker?.cli('rm', '-f', 'busy');
    await until(async () => ((await read()).containers.some(({ name }) => name === 'busy') ? null : true));
  });

  test('that are killed or run out of memory are reported as such', async () => {
    run('killed', [], '/bin/sleep', '3000');
    await seen('killed', ({ state }) => state === 'running');
    docker?.cli('kill', 'killed');
    expect(await seen('killed', ({ state }) => state === 'exited')).toMatchObject({ exit_code: 137, oom: false });
    run('hungry', ['--memory', '16m', '--memory-swap', '16m'], '/bin/tail', '/dev/zero');
    const hungry = await seen('hungry', ({ state }) => state === 'exited');
    expect([hungry.exit_code, String(hungry.oom)]).toEqual([
      Number(inspect(docker, '{{.State.ExitCode}}', 'hungry')),
      inspect(docker, '{{.State.OOMKilled}}', 'hungry'),
    ]);
    expect(hungry.exit_code).toBe(137);
  });

  test('that fail are reported to a webhook without other listeners', async () => {
    await using receiver = startWebhookReceiver(() => new Response('ok'));
    await using alone = await startHostler({
      prepare: withSettings({
        containers: { sockets: [docker?.socket] },
        alerts: {
          webhooks: [{ id: 'ops', url: `http://127.0.0.1:${receiver.port}/` }],
          rules: [{ id: 'c', when: { event: 'container_failed', match: 'watched-*' }, notify: ['ops'] }],
        },
      }),
    });
    const notified = () => receiver.received.map(({ body }) => JSON.parse(body) as { data: { text: string } });
    await until(async () => {
      const { alerts } = (await (await alone.get('/api/alerts')).json()) as { alerts: { state: string }[] };
      return alerts[0]?.state === 'ok' || null;
    });
    run('watched-killed', [], '/bin/sleep', '3000');
    docker?.cli('kill', 'watched-killed');
    run('watched-broken', [], '/bin/sh', '-c', 'exit 1');
    await until(() => (notified().length > 0 ? true : null), noticedWithinMs);
    expect(notified()).toMatchObject([
      { type: 'alert.begun', data: { text: 'The container watched-broken ended with the exit code 1' } },
    ]);
    run('watched-hungry', ['--memory', '16m', '--memory-swap', '16m'], '/bin/tail', '/dev/zero');
    await until(() => (inspect(docker, '{{.State.Status}}', 'watched-hungry') === 'exited' ? true : null));
    // Where the kernel does not report it to the engine, it looks like a kill.
    if (inspect(docker, '{{.State.OOMKilled}}', 'watched-hungry') === 'true') {
      await until(() => (notified().length > 1 ? true : null), noticedWithinMs);
      expect(notified()[1]?.data.text).toContain('The container watched-hungry ran out of memory');
    }
    docker?.cli('rm', '-f', 'watched-killed', 'watched-broken', 'watched-hungry');
  });

  test('that are restarted by the engine are counted', async () => {
    run('again', ['--restart', 'on-failure:2'], '/bin/sh', '-c', 'exit 3');
    expect(await seen('again', ({ restarts, state }) => restarts === 2 && state === 'exited')).toMatchObject({
      exit_code: 3,
    });
  });

  test('with a health check are pushed when it changes', async () => {
    const health = ['--health-cmd', '/bin/test -e /well', '--health-interval', '1s', '--health-retries', '1'];
    const client = await listener();
    run('checked', health, '/bin/sh', '-c', 'echo > /well; sleep 3000');
    await pushed(client, 'checked', ({ health: now }) => now === 'healthy');
    docker?.cli('exec', 'checked', '/bin/rm', '/well');
    await pushed(client, 'checked', ({ health: now }) => now === 'unhealthy');
    client.end();
    expect(inspect(docker, '{{.State.Health.Status}}', 'checked')).toBe('unhealthy');
    docker?.cli('rm', '-f', 'checked');
  });

  test('have the network that the kernel counts for them', async () => {
    const [one = 0, two = 0] = ['killed', 'web'].map((name) => {
      docker?.cli('start', name);
      return Number(inspect(docker, '{{.State.Pid}}', name));
    });
    const inside = (pid: number, ...args: string[]) => {
      const { status, stdout, stderr } = spawnSync('nsenter', ['-t', String(pid), '-n', ...args], { encoding: 'utf8' });
      if (status !== 0) throw new Error(stderr);
      return stdout;
    };
    inside(one, 'ip', 'link', 'add', 'eth7', 'type', 'veth', 'peer', 'name', 'eth8', 'netns', String(two));
    inside(one, 'ip', 'addr', 'add', '10.9.8.1/24', 'dev', 'eth7');
    inside(two, 'ip', 'addr', 'add', '10.9.8.2/24', 'dev', 'eth8');
    inside(one, 'ip', 'link', 'set', 'eth7', 'up');
    inside(two, 'ip', 'link', 'set', 'eth8', 'up');
    inside(one, '/bin/busybox', 'ping', '-c', '3', '-s', '1000', '-W', '10', '10.9.8.2');
    const seenNow = await seen('web', ({ network }) => (network?.received_bytes ?? 0) > 3000);
    const [link] = JSON.parse(inside(two, 'ip', '-j', '-s', 'link', 'show', 'dev', 'eth8')) as {
      stats64: { rx: { bytes: number }; tx: { bytes: number } };
    }[];
    expect(seenNow.network?.received_bytes ?? 0).toBeGreaterThan(3000);
    expect(seenNow.network?.received_bytes ?? 0).toBeLessThanOrEqual(link?.stats64.rx.bytes ?? 0);
  });

  test('are paused, resumed, stopped, started and restarted, as Docker confirms', async () => {
    const state = () => inspect(docker, '{{.State.Status}}', 'web');
    for (const [verb, expected] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['restart', 'running'],
      ['stop', 'exited'],
      ['start', 'running'],
    ] as const) {
      const { status, answer } = await order(verb, { name: 'web' });
      expect([verb, status, answer.data]).toEqual([
        verb,
        200,
        expect.objectContaining({ state: expected, changed: true }),
      ]);
      expect(state()).toBe(expected);
    }
    expect((await order('start', { name: 'web' })).answer).toMatchObject({ data: { changed: false } });
    run('short', [], '/bin/sh', '-c', 'exit 4');
    await seen('short', ({ state: now }) => now === 'exited');
    // It may still run when its state is read.
    const ended = await until(async () => {
      const { answer } = await order('start', { name: 'short' });
      return answer.error === undefined ? null : answer;
    });
    expect(ended.error).toContain('exit code 4');
  });

  test.each([
    ['without the scope', 403, { name: 'web' }, 'read'],
    ['not in the list', 403, { name: 'killed' }, 'containers'],
    ['by its id', 403, null, 'containers'],
    ['with a way out', 400, { name: '../web' }, 'containers'],
    ['with a pattern', 400, { name: 'we*' }, 'containers'],
    ['with 10,000 characters', 400, { name: 'w'.repeat(10_000) }, 'containers'],
    ['that is not there', 404, { name: 'gone' }, 'containers'],
  ])('%s nothing is stopped', async (_name, expected, body, scope) => {
    const given = body ?? { name: inspect(docker, '{{.Id}}', 'web') };
    const { status, answer } = await order('stop', given, tokens[scope]);
    expect([status, String(answer.error).length > 20]).toEqual([expected, true]);
    expect(inspect(docker, '{{.State.Status}} {{.RestartCount}}', 'web')).toBe('running 0');
  });

  test('show their output to the scope containers only', async () => {
    run('talks', [], '/bin/sh', '-c', 'echo one; echo two; sleep 1; echo three >&2; sleep 3000');
    const logs = (token = '') => hostler.get('/api/containers/logs?name=talks&lines=2', { 'X-API-Token': token });
    expect((await logs(tokens.read)).status).toBe(403);
    await until(() => (witnessed('talks').length === 3 ? true : null));
    const { lines } = (await (await logs(tokens.containers)).json()) as { lines: { text: string }[] };
    expect(lines).toMatchObject([
      { stream: 'stdout', text: 'two' },
      { stream: 'stderr', text: 'three' },
    ]);
    expect(witnessed('talks')).toEqual(['one', 'two', 'three']);
  });

  test('are listed completely when there are two hundred, and cost the engine nothing while idle', async () => {
    for (let count = 0; count < 200; count += 1) docker?.cli('create', '--name', `many${count}`, 'empty:1', '/run');
    const all = await until(async () => {
      const many = (await read()).containers.filter(({ name }) => name.startsWith('many'));
      return many.length === 200 ? many : null;
    });
    expect(new Set(all.map(({ state }) => state))).toEqual(new Set(['created']));
    const before = cpuTicks(docker?.pid() ?? 0);
    for (let look = 0; look < 20; look += 1) {
      await read();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    const used = (cpuTicks(docker?.pid() ?? 0) - before) / 100;
    // Listing them once takes Docker longer than this; the test measures that Docker is idle.
    expect(used).toBeLessThan(0.5);
    for (let at = 0; at < 200; at += 50)
      docker?.cli('rm', ...Array.from({ length: 50 }, (_, more) => `many${at + more}`));
    await until(async () => ((await read()).containers.some(({ name }) => name.startsWith('many')) ? null : true));
  });

  test('disappear with a reason while Docker is down, and return with it', async () => {
    const client = await listener();
    await docker?.stop();
    const down = await until(async () => {
      const { engines, containers } = await read();
      const engine = engines.find(({ id }) => id === 'docker');
      return engine === undefined || !engine.reachable ? { engine, containers } : null;
    });
    expect(down.containers.filter(({ engine }) => engine === 'docker')).toEqual([]);
    if (down.engine !== undefined) expect(down.engine.problem).toBeString();
    if (podman !== null)
      expect((await read()).engines).toContainEqual(expect.objectContaining({ id: 'podman', reachable: true }));
    await docker?.start();
    await pushed(client, 'web', ({ state }) => state === 'exited' || state === 'running');
    client.end();
  });
});

describe.skipIf(podman === null)('containers of a real Podman', () => {
  const start = (name: string, ...command: string[]) =>
    podman?.cli('run', '-d', '--name', name, ...endsAtOnce, ...podmanLimits, 'bb:1', ...command);

  test('match podman ps, and can be controlled', async () => {
    start('same', '/bin/sleep', '3000');
    const same = await seen('same', ({ state }) => state === 'running');
    expect(podman?.cli('ps', '--format', '{{.Names}} {{.State}}', '--no-trunc')).toContain('same Up');
    expect(same.engine).toBe('podman');
    expect([same.memory_used === null, same.cpu_seconds === null]).toEqual([false, false]);
    for (const [verb, expected] of [
      ['pause', 'paused'],
      ['resume', 'running'],
      ['restart', 'running'],
    ] as const) {
      expect(await order(verb, { name: 'same' })).toMatchObject({ status: 200, answer: { data: { state: expected } } });
      expect(inspect(podman, '{{.State.Status}}', 'same')).toBe(expected);
    }
    podman?.cli('kill', 'same');
    expect(await seen('same', ({ state }) => state === 'exited')).toMatchObject({ exit_code: 137 });
  });

  test.skipIf(docker === null)('with a name that both engines have are refused as ambiguous', async () => {
    run('same', endsAtOnce, '/bin/sleep', '3000');
    await until(async () =>
      (await read()).containers.filter(({ name }) => name === 'same').length === 2 ? true : null,
    );
    expect(await order('stop', { name: 'same' })).toMatchObject({ status: 409 });
    expect(inspect(docker, '{{.State.Status}}', 'same')).toBe('running');
    expect(await order('stop', { name: 'same', engine: 'docker' })).toMatchObject({ status: 200 });
    expect(inspect(docker, '{{.State.Status}}', 'same')).toBe('exited');
  });

  test('are removed from the list when they are removed', async () => {
    podman?.cli('rm', '-f', '-t', '1', 'same');
    await until(async () => {
      const { containers } = await read();
      return containers.some(({ name, engine }) => name === 'same' && engine === 'podman') ? null : true;
    });
  });
});

describe.skipIf(rootless === null)('containers of a real Podman of an ordinary user', () => {
  test('are listed, pushed and controlled by the service of that user without settings', async () => {
    const { user = 0, become = [], runtimeDirectory = '' } = rootless ?? {};
    await using own = await startHostler({
      through: become,
      env: { XDG_RUNTIME_DIR: runtimeDirectory },
      prepare(directory) {
        withSettings({ containers: { allowlist: ['web'] } })(directory);
        for (const place of ['', 'home', 'config', 'config/settings.json'])
          fs.chownSync(path.join(directory, place), user, user);
      },
    });
    expect(fs.statSync(`/proc/${own.pid}`).uid).toBe(user);
    const client = await listener(own);
    for (const name of ['web', 'other'])
      rootless?.cli('run', '-d', '--name', name, ...endsAtOnce, ...podmanLimits, 'bb:1', '/bin/sleep', '3000');
    await pushed(client, 'web', ({ state }) => state === 'running');
    expect((await read(own)).engines).toMatchObject([
      { id: 'podman-rootless', reachable: true, rootless: true, socket: rootless?.socket, problem: null },
    ]);
    const web = await seen('web', ({ state }) => state === 'running', own);
    expect(web).toMatchObject({ engine: 'podman-rootless', id: inspect(rootless, '{{.Id}}', 'web') });
    for (const [verb, expected] of [
      ['restart', 'running'],
      ['stop', 'exited'],
      ['start', 'running'],
    ] as const) {
      const { status, answer } = await order(verb, { name: 'web' }, own.token, own);
      expect([verb, status, answer]).toEqual([
        verb,
        200,
        expect.objectContaining({ data: expect.objectContaining({ state: expected }) }),
      ]);
      expect(inspect(rootless, '{{.State.Status}}', 'web')).toBe(expected);
    }
    expect((await order('stop', { name: 'other' }, own.token, own)).status).toBe(403);
    expect(inspect(rootless, '{{.State.Status}}', 'other')).toBe('running');
    rootless?.cli('kill', 'other');
    await pushed(client, 'other', ({ state, exit_code }) => state === 'exited' && exit_code === 137);
    client.end();
    // Whether it can have a control group depends on the machine; the numbers of another group would be wrong.
    const { memory_used, cpu_seconds } = await seen('web', ({ state }) => state === 'running', own);
    const group = fs.readFileSync(`/proc/${inspect(rootless, '{{.State.Pid}}', 'web')}/cgroup`, 'utf8');
    const isCounted = group.includes(web.id);
    expect([memory_used !== null, cpu_seconds !== null]).toEqual([isCounted, isCounted]);
    const modules = (await (await own.get('/api/modules')).json()) as {
      name: string;
      reasons: { field: string | null; reason: string }[];
    }[];
    const reasons = modules.find(({ name }) => name === 'containers')?.reasons ?? [];
    const said = reasons.some(
      ({ field, reason }) => field === 'containers[].memory_used' && /own: without/.test(reason),
    );
    expect(said).toBe(!isCounted);
  });
});

describe('a socket that only pretends to be an engine', () => {
  test('hangs, floods or sends nonsense, and the containers of others are still listed', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-pretended-'));
    const at = (name: string) => path.join(directory, name);
    const flood = Buffer.alloc(65_536, 'x');
    const servers = await Promise.all([
      pretend(at('hangs.sock'), () => {}),
      pretend(at('floods.sock'), (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const pour = () => {
          if (socket.writable) socket.write(flood);
        };
        socket.on('drain', pour);
        pour();
      }),
      pretend(at('nonsense.sock'), (socket) => void socket.end('220 mail.example.org ESMTP\r\n\r\n')),
    ]);
    fs.writeFileSync(at('file.sock'), '');
    try {
      await using service = await startHostler({
        prepare(own) {
          const sockets = ['hangs', 'floods', 'nonsense', 'file', 'absent'].map((name) => at(`${name}.sock`));
          fs.mkdirSync(path.join(own, 'config'), { recursive: true });
          fs.writeFileSync(path.join(own, 'config', 'settings.json'), JSON.stringify({ containers: { sockets } }));
        },
      });
      const { engines, containers } = await until(async () => {
        const answer = (await (await service.get('/api/data/containers')).json()) as Containers;
        return answer.engines.length >= 4 ? answer : null;
      });
      const ours = engines.filter(({ socket }) => socket.startsWith(directory));
      expect(ours.map(({ reachable }) => reachable)).toEqual([false, false, false, false]);
      for (const { problem } of ours) expect(problem).toBeString();
      expect(containers.filter(({ engine }) => ours.some(({ id }) => id === engine))).toEqual([]);
      // A flood is cut off: memory does not grow.
      await new Promise((resolve) => setTimeout(resolve, 3000));
      const resident = Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]);
      expect(resident).toBeLessThan(250 * 1024);
      expect((await service.get('/api/health')).status).toBe(200);
    } finally {
      for (const server of servers) server.close();
      fs.rmSync(directory, { recursive: true, force: true });
    }
  });
});

/** A listener on a socket that runs this for every connection. */
async function pretend(file: string, act: (socket: net.Socket) => void): Promise<{ close(): void }> {
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => act(socket));
  });
  await new Promise<void>((resolve) => server.listen(file, resolve));
  return {
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

async function listener(to = hostler): Promise<SocketClient> {
  const client = await connectSocket(to);
  await client.ask('REGISTER_DATA_LISTENER', { modules: ['containers'] });
  return client;
}

async function pushed(client: SocketClient, name: string, isSo: (container: ContainerEntry) => boolean): Promise<void> {
  await client.until(({ module, data }) => {
    if (module !== 'containers') return false;
    return (data as Containers).containers.some((container) => container.name === name && isSo(container));
  }, `an update about ${name}`);
}

/** As docker prints sizes. */
function bytesOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d.]+)([A-Za-z]+)$/.exec(text.trim()) ?? [];
  const factors: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
  return Number(digits) * (factors[unit] ?? Number.NaN);
}

const witnessed = (name: string) => {
  const { stdout, stderr } = spawnSync('docker', ['-H', `unix://${docker?.socket}`, 'logs', name], {
    encoding: 'utf8',
  });
  return `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
};

/** The control group of a container, found by its first process. */
function groupOf(name: string): { usage: string } | { stat: string } {
  const pid = inspect(docker, '{{.State.Pid}}', name);
  const text = fs.readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  const old = /^\d+:(?:cpu,)?cpuacct(?:,cpu)?:(.*)$/m.exec(text)?.[1];
  if (old !== undefined) return { usage: `/sys/fs/cgroup/cpuacct${old}/cpuacct.usage` };
  return { stat: `/sys/fs/cgroup${/^0::(.*)$/m.exec(text)?.[1]}/cpu.stat` };
}

function cpuOf(group: ReturnType<typeof groupOf>): number {
  if ('usage' in group) return Number(fs.readFileSync(group.usage, 'utf8')) / 1e9;
  return Number(/usage_usec (\d+)/.exec(fs.readFileSync(group.stat, 'utf8'))?.[1]) / 1e6;
}

/** Processor time of a process so far, in hundredths of a second. */
function cpuTicks(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
