import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { anotherUser, asAnotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { type RunningHostler, runHostler, spawnHostler, startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

/** Forwards all data, and adds nothing. Prints its port. */
const forwarder = `
import socket, sys, threading
def pipe(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    target = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    threading.Thread(target=pipe, args=(client, target), daemon=True).start()
    threading.Thread(target=pipe, args=(target, client), daemon=True).start()
`;

/** Takes a port, answers everything like a healthy service, and prints what it receives. */
const squatter = `
import socket, sys
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("squatting", flush=True)
body = b'{"status":"healthy","version":"6.0.0"}'
while True:
    client, _ = server.accept()
    print(client.recv(65536).decode(errors="replace"), flush=True)
    client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
    client.close()
`;

describe('the local machine', () => {
  let hostler: RunningHostler;
  const forwarders: ChildProcess[] = [];
  beforeAll(async () => {
    hostler = await startHostler();
  });
  afterAll(async () => {
    for (const child of forwarders) child.kill();
    await hostler.stop();
  });

  const forward = async (user: number) => {
    const { child, output } = asAnotherUser(forwarder, [String(hostler.port)], user);
    forwarders.push(child);
    return Number(await until(() => /^\d+$/m.exec(output())?.[0] ?? null));
  };
  /** Requests for local callers only, each checked at another place in the code. */
  const attempts = async (port: number) => {
    const headers = { 'X-API-Token': hostler.token, 'Content-Type': 'application/json' };
    const base = `http://127.0.0.1:${port}`;
    const tokens = await fetch(`${base}/api/tokens`, { headers });
    const agents = await fetch(`${base}/api/mcp`, { method: 'POST', headers, body: '{}' });
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/websocket`);
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const answer = new Promise<{ type: string }>((resolve) =>
      socket.addEventListener('message', ({ data }) => resolve(JSON.parse(String(data)))),
    );
    const data = { commands: { allowlist: [] }, metrics: { enabled: port === hostler.port } };
    socket.send(JSON.stringify({ token: hostler.token, id: '1', event: 'UPDATE_SETTINGS', data }));
    const { type } = await answer;
    socket.close();
    return { tokens: tokens.status, agents: agents.status === 403 ? 403 : 'let in', settings: type };
  };

  test('is recognised when the same user connects', async () => {
    expect(await attempts(hostler.port)).toEqual({ tokens: 200, agents: 'let in', settings: 'SETTINGS_UPDATED' });
  });

  test.skipIf(!canBeAnotherUser())('is not assumed for a forwarder of another user that adds no header', async () => {
    const port = await forward(anotherUser);
    expect(await attempts(port)).toEqual({ tokens: 403, agents: 403, settings: 'ERROR' });
    const { status } = await fetch(`http://127.0.0.1:${port}/api/data/memory`, {
      headers: { 'X-API-Token': hostler.token },
    });
    expect(status).toBe(200);
  });
});

describe('a service that crashed', () => {
  /** Killed, and its PID reused by another process of the user: only the file is left. */
  const killed = async () => {
    const hostler = await startHostler();
    const file = path.join(hostler.directory, 'state', 'service.json');
    const info = JSON.parse(fs.readFileSync(file, 'utf8'));
    process.kill(hostler.pid, 'SIGKILL');
    await until(() => (fs.existsSync(`/proc/${hostler.pid}/exe`) ? null : true));
    const another = spawn('sleep', ['1000']);
    fs.writeFileSync(file, JSON.stringify({ ...info, pid: another.pid }));
    const clean = () => {
      another.kill();
      fs.rmSync(hostler.directory, { recursive: true, force: true });
    };
    return { hostler, file, info, clean };
  };

  /** Another program of this machine may have taken the port before: then retry. */
  const squatted = async () => {
    for (;;) {
      const { hostler, clean } = await killed();
      const { child, output, ended } = asAnotherUser(squatter, [String(hostler.port)]);
      const squats = until(() => (output().includes('squatting') ? true : null));
      if (await Promise.race([squats, ended.then(() => false)])) return { hostler, clean, child, output };
      expect(await ended).toContain('Address already in use');
      squats.catch(() => {});
      clean();
    }
  };

  test.skipIf(!canBeAnotherUser())('reveals nothing to another user who took its port', async () => {
    const { hostler, clean, child, output } = await squatted();
    const { directory } = hostler;
    const { child: bridge, said } = spawnHostler(['mcp'], { directory });
    bridge.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n');
    await until(() => (said.stdout.includes('\n') ? true : null));
    bridge.stdin.end();
    expect(said.stdout).toContain('Hostler is not running');
    for (const args of [['data', 'memory'], ['modules'], ['open'], ['power', 'lock'], ['version']])
      await runHostler(args, { directory });
    expect(output()).toBe('squatting\n');
    child.kill();
    clean();
  });

  test('is followed by a new one that is found, also on the same port', async () => {
    const { hostler, file, info, clean } = await killed();
    const { directory, port } = hostler;
    const again = await startHostler({ directory, args: ['--port', String(port)] });
    expect(again.output()).not.toContain('Another Hostler');
    await until(() => (JSON.parse(fs.readFileSync(file, 'utf8')).pid === again.pid ? true : null));
    expect(fs.existsSync(info.socket)).toBe(false);
    expect((await runHostler(['doctor'], { directory })).stdout).toContain(
      `running as process ${again.pid} on port ${port}`,
    );
    await again.stop();
    clean();
  });
});

describe('directories that others could change', () => {
  const me = process.getuid?.() ?? 0;
  const places: string[] = [];
  afterAll(() => {
    for (const place of places) fs.rmSync(place, { recursive: true, force: true });
  });
  /** Directories as after a first run. */
  const prepared = async () => {
    const { directory } = await runHostler(['token']);
    fs.mkdirSync(path.join(directory, 'config'), { mode: 0o700 });
    places.push(directory);
    return directory;
  };
  /** The error of a refused start. */
  const refusal = (directory: string) =>
    startHostler({ directory }).then(
      async (hostler) => `it serves, and ended with ${await hostler.stop()}`,
      (error: Error) => error.message,
    );

  test.each(['state', 'config'])(
    'a world-writable %s directory is refused, with the command that fixes it',
    async (name) => {
      const directory = await prepared();
      const place = path.join(directory, name);
      fs.chmodSync(place, 0o777);
      expect(await refusal(directory)).toContain(`"chmod go-w ${place}"`);
      for (const args of [['token'], ['open'], ['settings', 'get']]) {
        const { code, stdout, stderr } = await runHostler(args, { directory });
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toContain(`The ${name} directory ${place} is not safe: any user may write to it`);
        expect(stderr).toContain(`"chmod go-w ${place}"`);
      }
      expect((await runHostler(['doctor'], { directory })).stdout).toContain(`chmod go-w ${place}`);
      fs.chmodSync(place, 0o755);
      const repaired = await startHostler({ directory });
      expect(await repaired.stop()).toBe(0);
    },
  );

  test('a parent directory that others may write to, unless it is sticky', async () => {
    const directory = await prepared();
    fs.chmodSync(directory, 0o777);
    expect(await refusal(directory)).toContain(`any user may write to ${directory}, in which it lies`);
    fs.chmodSync(directory, 0o1777);
    const repaired = await startHostler({ directory });
    expect(await repaired.stop()).toBe(0);
  });

  test('a file that others may write to, although the directory is safe', async () => {
    const directory = await prepared();
    const file = path.join(directory, 'config', 'settings.json');
    fs.writeFileSync(file, '{}');
    fs.chmodSync(file, 0o666);
    expect(await refusal(directory)).toContain(`"chmod go-w ${file}"`);
  });

  test.skipIf(!canBeAnotherUser())('a directory of another user, and a parent of it: refused, with chown', async () => {
    const directory = await prepared();
    const state = path.join(directory, 'state');
    fs.chownSync(state, anotherUser, anotherUser);
    const said = await refusal(directory);
    expect(said).toContain('hostler ended with 1');
    expect(said).toContain('it belongs to nobody');
    expect(said).toContain(`"chown -R root ${state}"`);
    fs.chownSync(state, me, me);
    fs.chownSync(directory, anotherUser, anotherUser);
    expect(await refusal(directory)).toContain(`${directory}, in which it lies, belongs to nobody`);
  });

  test.skipIf(!canBeAnotherUser())(
    'the same for a user who is not root, and a private group counts as the user',
    () => {
      // The first system account has its own group everywhere.
      const user = 1;
      const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-safe-'));
      places.push(directory);
      const state = path.join(directory, 'state');
      fs.mkdirSync(state);
      fs.chownSync(directory, user, user);
      const seen = (owner: number, group: number, mode: number) => {
        fs.chownSync(state, owner, group);
        fs.chmodSync(state, mode);
        const script = `process.setgroups([]); process.setgid(${user}); process.setuid(${user});
        const { exposureOf } = await import(${JSON.stringify(path.join(import.meta.dirname, '..', '..', '..', 'src', 'host', 'linux', 'storage', 'exposure.ts'))});
        console.log(JSON.stringify(exposureOf(${JSON.stringify(state)})));`;
        const { stdout } = Bun.spawnSync([process.execPath, '--no-env-file', '--config=/dev/null', '-e', script]);
        return JSON.parse(stdout.toString());
      };
      expect(seen(user, user, 0o700)).toBeNull();
      expect(seen(0, 0, 0o755)).toBeNull();
      // As with the umask 002.
      expect(seen(user, user, 0o775)).toBeNull();
      expect(seen(user, anotherUser, 0o775)).toEqual({
        problem: expect.stringMatching(/^the group \w+ may write to it$/),
        fix: `chmod go-w ${state}`,
      });
      expect(seen(user, user, 0o1777)).toMatchObject({ problem: 'any user may write to it' });
      expect(seen(anotherUser, anotherUser, 0o755)).toEqual({
        problem: expect.stringMatching(/^it belongs to \w+$/),
        fix: expect.stringMatching(new RegExp(`^sudo chown -R \\w+ ${state}$`)),
      });
    },
  );
});
