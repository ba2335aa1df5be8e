import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { actions } from '../../../src/features/index.ts';
import {
  busiestSchema,
  type ProcessDetails,
  processDetailsSchema,
} from '../../../src/features/processes/processes.schema.ts';
import { anotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { endProcess } from '../harness/end-process.ts';
import { needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';

setDefaultTimeout(180_000);

let hostler: RunningHostler;
const tokens: Record<string, string> = {};
beforeAll(async () => {
  hostler = await startHostler();
  tokens.all = hostler.token;
  for (const scope of ['read', 'command', 'processes']) {
    tokens[scope] = await createToken(hostler, `only ${scope}`, scope);
  }
});
afterAll(async () => void (await hostler.stop()));

const run = (...args: string[]) => runHostler(args, { directory: hostler.directory });

const started = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of started) {
    started.delete(child);
    await endProcess(child);
  }
});

/** A process for the test alone. */
async function start(program: string, args: string[], options: SpawnOptions = {}): Promise<number> {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  started.add(child);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${program} did not start`);
  // Before exec it is a copy of the test.
  await until(() => (fs.readlinkSync(`/proc/${pid}/exe`) === process.execPath ? null : true));
  return pid;
}

/** The kernel data, read by other means than the service uses. */
function statOf(pid: number, thread = pid) {
  try {
    const text = fs.readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], nice: Number(fields[16]), start_time: Number(fields[19]), flags: Number(fields[6]) };
  } catch {
    return null;
  }
}
const startOf = (pid: number) => statOf(pid)?.start_time ?? -1;
const named = (pid: number) => ({ id: pid, start_time: startOf(pid) });
function commOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/comm`, 'latin1').trim();
  } catch {
    return '';
  }
}
const isAlive = (pid: number) => ![undefined, 'Z', 'X'].includes(statOf(pid)?.state);

async function post(route: string, body: unknown, token = tokens.processes ?? '', base = hostler.base) {
  const response = await fetch(`${base}${route}`, {
    method: 'POST',
    headers: { 'X-API-Token': token, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: string; message?: string; data?: Record<string, unknown> };
  return { status: response.status, error: answer.error ?? '', message: answer.message ?? '', data: answer.data ?? {} };
}
const signal = (pid: number, verb: string, more = {}) =>
  post('/api/process/signal', { ...named(pid), signal: verb, ...more });

describe('a process is ended, stopped and continued', () => {
  test('and the reply has the resulting state', async () => {
    const pid = await start('/bin/sleep', ['600']);
    const identity = named(pid);
    expect(await signal(pid, 'stop')).toMatchObject({ status: 200, message: `"sleep" (${pid}) is stopped` });
    expect(statOf(pid)?.state).toBe('T');
    expect((await signal(pid, 'continue')).data).toMatchObject({
      ...identity,
      status: expect.stringMatching(/^(?:running|sleeping)$/),
    });
    expect(statOf(pid)?.state).not.toBe('T');
    expect(await signal(pid, 'terminate')).toMatchObject({
      status: 200,
      message: `"sleep" (${pid}) has ended`,
      data: { ...identity, name: 'sleep', signal: 'terminate', status: 'ended' },
    });
    expect(isAlive(pid)).toBe(false);
    expect(hostler.output()).toContain(`sent "terminate" to process ${pid} ("sleep")`);
  });

  test('a process that ignores SIGTERM is still there, until it is killed', async () => {
    const pid = await start('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1; done']);
    await until(() => (/^SigIgn:\t0*4/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ? true : null));
    const asked = await signal(pid, 'terminate');
    expect(asked.message).toStartWith(`"sh" (${pid}) received SIGTERM and is still `);
    expect(isAlive(pid)).toBe(true);
    expect((await signal(pid, 'kill')).data).toMatchObject({ status: 'ended' });
    expect(isAlive(pid)).toBe(false);
  });

  test('over the WebSocket and by the command line as well', async () => {
    const first = await start('/bin/sleep', ['600']);
    const client = await connectSocket(hostler);
    const answer = await client.ask('PROCESS_SIGNAL', { ...named(first), signal: 'kill' });
    expect(answer).toMatchObject({ type: 'PROCESS_SIGNALLED', data: { status: 'ended' } });
    client.end();
    const second = await start('/bin/sleep', ['600']);
    const { code, stdout } = await run(
      'do',
      'process.signal',
      `id=${second}`,
      `start_time=${startOf(second)}`,
      'signal=terminate',
    );
    expect([code, stdout.trim()]).toEqual([0, `"sleep" (${second}) has ended`]);
    expect([isAlive(first), isAlive(second)]).toEqual([false, false]);
  });

  test.skipIf(!needs('unshare') || process.getuid?.() !== 0)('also in a separate PID namespace', async () => {
    const outer = await start('/usr/bin/env', ['unshare', '--pid', '--fork', '/bin/sleep', '600']);
    const inner = await until(() => {
      const child = Number(fs.readFileSync(`/proc/${outer}/task/${outer}/children`, 'utf8').trim());
      return child > 0 && fs.readFileSync(`/proc/${child}/comm`, 'utf8') === 'sleep\n' ? child : null;
    });
    expect(fs.readFileSync(`/proc/${inner}/status`, 'utf8')).toMatch(/^NSpid:.*\t1$/m);
    // It is PID 1 there, to which the kernel delivers only handled signals.
    expect((await signal(inner, 'terminate')).message).toEndWith('received SIGTERM and is still sleeping');
    expect((await signal(inner, 'kill')).data).toMatchObject({ status: 'ended' });
    expect(isAlive(inner)).toBe(false);
  });
});

describe('priorities', () => {
  const threads = (pid: number) => fs.readdirSync(`/proc/${pid}/task`).map(Number);
  const threaded = `
import threading, time
for _ in range(5): threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
time.sleep(600)`;

  test.skipIf(!needs('python3'))('apply to all threads', async () => {
    const pid = await start('/usr/bin/env', ['python3', '-c', threaded]);
    await until(() => (threads(pid).length === 6 ? true : null));
    const set = await post('/api/process/nice', { ...named(pid), nice: 7 });
    expect(set).toMatchObject({ status: 200, data: { ...named(pid), nice: 7 } });
    expect(threads(pid).map((thread) => statOf(pid, thread)?.nice)).toEqual(Array(6).fill(7));
    const ionice = await post('/api/process/ionice', { ...named(pid), class: 'best_effort', level: 6 });
    expect(ionice).toMatchObject({ status: 200, data: { class: 'best_effort', level: 6 } });
    expect(await details(pid)).toMatchObject({ nice: 7, io_priority: { class: 'best_effort', level: 6 }, threads: 6 });
    await post('/api/process/ionice', { ...named(pid), class: 'idle' });
    expect((await details(pid)).io_priority).toEqual({ class: 'idle', level: null });
    expect(isAlive(pid)).toBe(true);
  });
});

describe('never the wrong process', () => {
  test('a PID that was reused is refused, and the new process continues', async () => {
    const pid = await start('/bin/sleep', ['600']);
    const wrong = { id: pid, start_time: startOf(pid) - 1 };
    for (const [route, more] of [
      ['/api/process/signal', { signal: 'kill' }],
      ['/api/process/nice', { nice: 19 }],
      ['/api/process/ionice', { class: 'idle' }],
    ] as const) {
      const refused = await post(route, { ...wrong, ...more });
      expect(refused.status).toBe(409);
      expect(refused.error).toStartWith(`PID ${pid} belongs to another process now: "sleep", with the start time`);
    }
    expect(statOf(pid)).toMatchObject({ state: 'S', nice: statOf(process.pid)?.nice ?? 0 });
    expect((await hostler.get(`/api/processes/${pid}?start_time=${wrong.start_time}`)).status).toBe(409);
  });

  test('a process that is gone, PID 1, the service itself, its threads and kernel threads are refused', async () => {
    const pid = await start('/bin/sleep', ['600']);
    const identity = named(pid);
    await signal(pid, 'kill');
    await until(() => (statOf(pid) === null ? true : null));
    expect(await post('/api/process/signal', { ...identity, signal: 'kill' })).toMatchObject({
      status: 404,
      error: `There is no process ${pid}; it may have ended`,
    });
    expect(await signal(1, 'terminate')).toMatchObject({
      status: 403,
      error: 'Process 1 is the init process and cannot be changed',
    });
    expect((await signal(hostler.pid, 'kill')).error).toStartWith(`Process ${hostler.pid} is this service`);
    const thread =
      fs
        .readdirSync(`/proc/${hostler.pid}/task`)
        .map(Number)
        .find((each) => each !== hostler.pid) ?? 0;
    const refused = await post('/api/process/signal', {
      id: thread,
      start_time: statOf(hostler.pid, thread)?.start_time ?? 0,
      signal: 'kill',
    });
    expect(refused).toMatchObject({ status: 404, error: expect.stringContaining('the PID is that of a thread') });
    const kernels = fs
      .readdirSync('/proc')
      .map(Number)
      .find((each) => ((statOf(each)?.flags ?? 0) & 0x20_0000) !== 0);
    if (kernels === undefined) console.warn('skipped: no threads of the kernel are visible here');
    else
      for (const verb of ['kill', 'stop'])
        expect((await signal(kernels, verb)).error).toMatch(/ is a kernel thread and cannot be changed$/);
    expect((await hostler.get('/api/health')).status).toBe(200);
  });

  test.skipIf(!needs('python3'))('a zombie is not reported as a success', async () => {
    const program =
      "import os, time\nif os.fork() == 0:\n  open('/proc/self/comm', 'w').write('remains')\n  os._exit(0)\ntime.sleep(600)";
    const parent = await start('/usr/bin/env', ['python3', '-c', program]);
    const zombie = await until(() => {
      const child = Number(fs.readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim());
      return child > 0 && statOf(child)?.state === 'Z' && commOf(child) === 'remains' ? child : null;
    });
    for (const verb of ['terminate', 'kill', 'continue'])
      expect(await signal(zombie, verb)).toMatchObject({
        status: 409,
        error: expect.stringContaining('has already ended'),
      });
    const shown = await details(zombie);
    expect(shown).toMatchObject({ status: 'zombie', open_files: null, command_line: null });
    expect(shown.reasons.map(({ field }) => field)).toContain('open_files');
  });

  test.skipIf(!needs('python3'))('a process whose main thread has ended is alive, and is ended', async () => {
    const program = `
import ctypes, platform, threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
ctypes.CDLL(None).syscall(93 if platform.machine() == 'aarch64' else 60, 0)`;
    const pid = await start('/usr/bin/env', ['python3', '-c', program]);
    await until(() => (statOf(pid)?.state === 'Z' && fs.readdirSync(`/proc/${pid}/task`).length > 1 ? true : null));
    expect((await signal(pid, 'kill')).data).toMatchObject({ status: 'ended' });
    expect(await until(() => (fs.existsSync(`/proc/${pid}/task/${pid}/stat`) ? null : true))).toBe(true);
  });

  describe.skipIf(!canBeAnotherUser() || !needs('setpriv', 'python3'))('with the rights of an ordinary user', () => {
    const withoutRights = ['setpriv', '--bounding-set=-all', '--inh-caps=-all'];
    let plain: RunningHostler;
    beforeAll(async () => {
      // Root without capabilities is an ordinary user.
      plain = await startHostler({ through: ['/usr/bin/env', ...withoutRights] });
    });
    afterAll(async () => void (await plain?.stop()));
    const send = (route: string, body: object) => post(route, body, plain.token, plain.base);

    test('processes of other users are refused with the error of the system, and continue', async () => {
      const pid = await start('/bin/sleep', ['600'], { uid: anotherUser, gid: anotherUser });
      for (const [route, more] of [
        ['/api/process/signal', { signal: 'kill' }],
        ['/api/process/signal', { signal: 'stop' }],
        ['/api/process/nice', { nice: 5 }],
        ['/api/process/ionice', { class: 'idle' }],
      ] as const) {
        const refused = await send(route, { ...named(pid), ...more });
        expect(refused.status).toBe(403);
        expect(refused.error).toMatch(/^"sleep" \(\d+\), a process of the user nobody, cannot be /);
      }
      expect(statOf(pid)).toMatchObject({ state: 'S', nice: statOf(process.pid)?.nice ?? 0 });
      const answer = await fetch(`${plain.base}/api/processes/${pid}`, { headers: { 'X-API-Token': plain.token } });
      const shown = processDetailsSchema.parse(await answer.json());
      expect(shown).toMatchObject({ io: null, open_files: null, username: 'nobody' });
      expect(shown.reasons.map(({ field }) => field)).toEqual(expect.arrayContaining(['io', 'open_files']));
      const busy = await fetch(`${plain.base}/api/processes/busiest`, { headers: { 'X-API-Token': plain.token } });
      expect(busiestSchema.parse(await busy.json()).network).toBeNull();
    });

    test('processes of the service user are allowed, also with another effective user', async () => {
      const own = await start('/bin/sleep', ['600']);
      expect((await send('/api/process/signal', { ...named(own), signal: 'kill' })).data).toMatchObject({
        status: 'ended',
      });
      const acting = `import os, time\nos.setresuid(0, ${anotherUser}, ${anotherUser})\ntime.sleep(600)`;
      const pid = await start('/usr/bin/env', ['python3', '-c', acting]);
      await until(() => (/^Uid:\t0\t65534\t65534/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8')) ? true : null));
      expect((await send('/api/process/signal', { ...named(pid), signal: 'terminate' })).data).toMatchObject({
        status: 'ended',
      });
    });

    test('priorities are lowered, not raised', async () => {
      // A process with more capabilities than the service would be refused.
      const pid = await start('/usr/bin/env', [...withoutRights, '/bin/sleep', '600']);
      await until(() => (commOf(pid) === 'sleep' ? true : null));
      expect(await send('/api/process/nice', { ...named(pid), nice: 19 })).toMatchObject({ data: { nice: 19 } });
      const refused = await send('/api/process/nice', { ...named(pid), nice: -20 });
      expect(refused).toMatchObject({ status: 403, error: expect.stringContaining('CAP_SYS_NICE') });
      expect((await send('/api/process/ionice', { ...named(pid), class: 'realtime' })).status).toBe(403);
      expect(statOf(pid)?.nice).toBe(19);
    });
  });
});

describe('checks before any process is read', () => {
  const controls = actions.filter(({ scopes }) => scopes.includes('processes'));
  const wrongIds: unknown[] = [0, -1, 2 ** 31, 1.5, Number.MAX_SAFE_INTEGER, '7', '', true, [], {}, null];

  test('each action needs its own scope, and no other scope implies it', async () => {
    expect(controls.map(({ name }) => name)).toEqual(['process.signal', 'process.nice', 'process.ionice']);
    const pid = await start('/bin/sleep', ['600']);
    for (const { name, example } of controls) {
      for (const scope of ['read', 'command']) {
        const refused = await post(
          `/api/${name.replace('.', '/')}`,
          { ...(example as object), ...named(pid) },
          tokens[scope],
        );
        expect(refused).toMatchObject({
          status: 403,
          error: expect.stringMatching(
            new RegExp(
              `^The token "only ${scope}" lacks the scope "processes"; ".* token change [0-9a-f]{12} --add-scope processes"`,
            ),
          ),
        });
      }
    }
    const client = await connectSocket({ port: hostler.port, token: tokens.read ?? '' });
    expect(await client.ask('PROCESS_SIGNAL', { ...named(pid), signal: 'kill' })).toMatchObject({
      subtype: 'FORBIDDEN',
    });
    client.end();
    expect(statOf(pid)).toMatchObject({ state: 'S', nice: statOf(process.pid)?.nice ?? 0 });
  });

  test.each(controls.map((action) => [action.name, action] as const))(
    '%s with invalid input',
    async (name, { example }) => {
      const pid = await start('/bin/sleep', ['600']);
      const good = { ...(example as object), ...named(pid) };
      const route = `/api/${name.replace('.', '/')}`;
      const { id: _id, ...withoutId } = good;
      const { start_time: _start, ...withoutStart } = good;
      const wrong: unknown[] = [
        ...wrongIds.map((id) => ({ ...good, id })),
        ...[-1, 1.5, '1', true, null, {}].map((start_time) => ({ ...good, start_time })),
        ...[
          { signal: 'SIGKILL', nice: 20, class: 'none' },
          { signal: 9, nice: '5', class: 3 },
          { signal: '', nice: -21, class: '' },
        ].map((values) => ({
          ...good,
          ...Object.fromEntries(Object.entries(values).filter(([key]) => Object.hasOwn(good, key))),
        })),
        { ...good, force: true },
        { ...good, pid },
        { ...good, __proto__x: 1 },
        withoutId,
        withoutStart,
        {},
        [],
        '"text"',
        '{"id": 1,',
      ];
      for (const body of wrong) {
        const refused = await post(route, body);
        expect([JSON.stringify(body), refused.status]).toEqual([JSON.stringify(body), 400]);
        expect(refused.error).toMatch(/\S+ \S+/);
      }
      if (name === 'process.ionice')
        expect((await post(route, { ...good, class: 'idle', level: 3 })).error).toContain(
          'the class idle has no levels',
        );
      expect(statOf(pid)).toMatchObject({ state: 'S', nice: statOf(process.pid)?.nice ?? 0 });
    },
  );

  test('details of a process with an invalid or unknown PID, or without a token, are refused', async () => {
    for (const id of ['0', '-1', String(2 ** 31), '1.5'])
      for (const route of [`/api/processes/${id}`, `/api/processes/details?id=${id}`]) {
        const refused = await hostler.get(route, { 'X-API-Token': hostler.token });
        expect([route, refused.status]).toEqual([route, 400]);
        expect(((await refused.json()) as { error: string }).error).toStartWith('processes.get: id ');
      }
    for (const strange of ['abc', '7/8', '7%2f..', '..%2f7', '7x'])
      expect((await hostler.get(`/api/processes/${strange}`, { 'X-API-Token': hostler.token })).status).toBe(404);
    expect((await hostler.get('/api/processes/4194304', { 'X-API-Token': hostler.token })).status).toBe(404);
    expect((await hostler.get(`/api/processes/7?id=8`, { 'X-API-Token': hostler.token })).status).toBe(400);
    expect((await fetch(`${hostler.base}/api/processes/7`)).status).toBe(401);
  });
});

async function details(pid: number, token = tokens.all ?? ''): Promise<ProcessDetails> {
  const response = await fetch(`${hostler.base}/api/processes/${pid}`, { headers: { 'X-API-Token': token } });
  return processDetailsSchema.parse(await response.json());
}

/** Every null of the answer, by its path. */
function nullsIn(value: unknown, at = ''): string[] {
  if (value === null) return [at];
  if (Array.isArray(value)) return value.flatMap((each) => nullsIn(each, `${at}[]`));
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) => nullsIn(inner, at === '' ? key : `${at}.${key}`));
}

describe('everything about one process', () => {
  test('has a reason for every null; the command line uses its scope', async () => {
    const secret = `hunter${process.pid}`;
    const pid = await start('/bin/sh', ['-c', 'exec 7</dev/null 8</dev/null; while :; do sleep 600; done', secret], {
      cwd: '/',
    });
    await until(() => (fs.existsSync(`/proc/${pid}/fd/8`) ? true : null));
    const shown = await details(pid);
    expect(shown).toMatchObject({
      ...named(pid),
      name: expect.stringMatching(/sh$/),
      parent_id: process.pid,
      threads: 1,
      open_files: fs.readdirSync(`/proc/${pid}/fd`).length,
      working_directory: '/',
      command_line: ['/bin/sh', '-c', expect.any(String), secret],
    });
    const group = fs.readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
    expect(group.some((line) => line.endsWith(`:${shown.cgroup}`))).toBe(true);
    const explained = shown.reasons.map(({ field }) => field);
    // A class of I/O priority without levels is reported as such.
    expect(nullsIn({ ...shown, io_priority: 0 }).filter((field) => !explained.includes(field))).toEqual([]);

    const read = await details(pid, tokens.read);
    expect(JSON.stringify(read)).not.toContain(secret);
    expect(read.command_line).toBeNull();
    expect(read.reasons).toContainEqual({
      field: 'command_line',
      reason: 'The token "only read" lacks the scope "command" or "admin"',
    });
    expect((await details(pid, tokens.command)).command_line).toContain(secret);
    const client = await connectSocket(hostler);
    expect((await client.ask('GET_PROCESS', { id: pid })).data).toMatchObject({ ...named(pid), threads: 1 });
    client.end();
  });

  test.skipIf(!needs('python3'))('a hostile name neither controls the terminal nor breaks its line', async () => {
    const program = `import time\nopen('/proc/self/comm','wb').write(b'\\x1b[2Jx\\n\\x9b\\xff\\xe2\\x80\\xae')\ntime.sleep(600)`;
    const pid = await start('/usr/bin/env', ['python3', '-c', program, '\u001b]0;evil\u0007', 'a\nb']);
    await until(() => (fs.readFileSync(`/proc/${pid}/comm`, 'latin1').startsWith('\u001b') ? true : null));
    const { code, stdout } = await run('process', String(pid));
    expect(code).toBe(0);
    expect(stdout).toContain('open_files');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toMatch(/^ {2}a b$/m);
    const parsed = JSON.parse((await run('process', String(pid), '--json')).stdout) as ProcessDetails;
    expect(parsed.command_line?.at(-1)).toBe('a\nb');
    const ended = await signal(pid, 'kill');
    expect(ended.message).toStartWith('"\\u001b[2Jx\\n');
  });

  test('the command line reports errors', async () => {
    expect((await run('process', '0')).code).toBe(2);
    expect((await run('process', 'x')).code).toBe(2);
    const none = await run('process', '4194304');
    expect([none.code, none.stderr.trim()]).toEqual([1, 'hostler: There is no process 4194304; it may have ended']);
  });
});

describe('the busiest processes', () => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-busy-'));
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

  test.skipIf(!needs('python3'))('by CPU, memory and disk in one reply; the network has a reason', async () => {
    const spinning = await start('/usr/bin/env', ['python3', '-c', 'while True: pass']);
    const writing = `
import os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
while True:
  os.pwrite(fd, os.urandom(1 << 20), 0)
  os.fsync(fd)`;
    const writer = await start('/usr/bin/env', ['python3', '-c', writing, path.join(directory, 'file')]);
    const written = () => Number(/^write_bytes: (\d+)/m.exec(fs.readFileSync(`/proc/${writer}/io`, 'utf8'))?.[1] ?? 0);
    const counts = await until(() => (written() > 0 ? true : null), 5000).catch(() => false);
    if (!counts) console.warn('skipped: the kernel counts no writes to the temporary directory');
    const found = await until(async () => {
      const answer = busiestSchema.parse(
        await (await hostler.get('/api/processes/busiest', { 'X-API-Token': tokens.read ?? '' })).json(),
      );
      const isThere = (list: { id: number }[] | null, pid: number) => list?.some(({ id }) => id === pid) ?? false;
      // On a busy machine five others may be busier.
      const isKnown = (list: { id: number }[] | null, pid: number) => list?.length === 5 || isThere(list, pid);
      return isKnown(answer.cpu, spinning) && (!counts || isKnown(answer.disk, writer)) ? answer : null;
    });
    expect([found.cpu.length, found.memory.length, found.disk?.length ?? 0].every((length) => length <= 5)).toBe(true);
    expect(found.memory.length).toBe(5);
    expect(found.network).toBeNull();
    expect(found.reasons.map(({ field }) => field)).toContain('network');
    for (const list of [found.cpu, found.memory, found.disk ?? []])
      for (const { id, start_time } of list) expect([start_time, -1]).toContain(startOf(id));
    const use = found.cpu.map(({ cpu_usage }) => cpu_usage ?? 0);
    expect(use).toEqual(use.toSorted((a, b) => b - a));
  });
});
