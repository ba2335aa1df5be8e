import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { type Client, createClient, pinTo } from '@hostler/client/client.ts';
import { freePort } from '../../../bench/harness/harness.ts';
import { issue } from '../../../src/access/tls/certificates.issue.ts';
import { until } from '../../harness/until.ts';
import { createPrivateNetwork, hasNetworks, type PrivateNetwork } from '../harness/network.ts';
import { needs } from '../harness/parts.ts';
import { commandLine, type RunningHostler, runHostler, serviceEnvironment, startHostler } from '../harness/service.ts';
import { authorityOf, clientHello, firstReply, handshake, selfSigned, serverSettings } from '../harness/tls.ts';

setDefaultTimeout(180_000);
const isPossible = needs('openssl', 'curl');

const running: RunningHostler[] = [];
const clients: Client[] = [];
async function start(server: Record<string, unknown>, options: Parameters<typeof startHostler>[0] = {}, rest = {}) {
  const hostler = await startHostler({ ...options, prepare: serverSettings(server, rest) });
  running.push(hostler);
  return { ...hostler, tlsPort: hostler.tlsPort ?? 0 };
}
const residentMiB = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

/** curl, which trusts only this authority. */
function curl(
  hostler: { directory: string; tlsPort: number; token: string },
  route: string,
  ...options: string[]
): string {
  const trusting = ['-sS', '--cacert', authorityOf(hostler), '-H', `X-API-Token: ${hostler.token}`];
  const { stdout, stderr } = spawnSync(
    'curl',
    [...trusting, ...options, `https://localhost:${hostler.tlsPort}${route}`],
    {
      encoding: 'latin1',
    },
  );
  return `${stdout}${stderr}`;
}

describe.skipIf(!isPossible)('TLS with a certificate of the machine itself', () => {
  let hostler: Awaited<ReturnType<typeof start>>;
  let home: string;
  beforeAll(async () => {
    hostler = await start({ tls: 'auto' }, { args: ['--log-level', 'DEBUG'] });
    home = path.join(hostler.directory, 'home');
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    for (const service of running.splice(0)) await service.stop();
  });

  test.each([
    ['-tls1_3', 'TLSv1.3'],
    ['-tls1_2', 'TLSv1.2'],
  ])('%s is supported', async (option, version) => {
    expect(await handshake(hostler.tlsPort, [option])).toMatch(
      new RegExp(`^New, ${version}, Cipher is (TLS_|ECDHE-ECDSA)`, 'm'),
    );
  });

  test.each(['-tls1_1', '-tls1'])('%s is refused', async (option) => {
    const said = await handshake(hostler.tlsPort, [option, '-cipher', 'ALL:@SECLEVEL=0']);
    expect(said).toContain('alert protocol version');
  });

  test.each(['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-SHA384', 'AES128-GCM-SHA256', 'aNULL:@SECLEVEL=0', 'DHE'])(
    'the cipher %s is refused in TLS 1.2',
    async (cipher) => {
      expect(await handshake(hostler.tlsPort, ['-tls1_2', '-cipher', cipher])).toContain('alert handshake failure');
    },
  );

  test.each([
    ['SSL 3.0', 0x0300, [0xc02b, 0xc009, 0x002f]],
    ['RC4', 0x0303, [0xc007, 0x0005, 0x0004]],
    ['3DES and CBC', 0x0303, [0xc008, 0xc009, 0xc00a, 0x000a, 0x002f, 0x0035, 0xc023]],
    ['export ciphers', 0x0303, [0x0003, 0x0006, 0x0008, 0x0014]],
    ['no encryption', 0x0303, [0x0000, 0x0001, 0x0002, 0xc006]],
    ['anonymous key exchange', 0x0303, [0x0018, 0x0034, 0xc018, 0x00a6]],
  ])('%s is answered with an alert', async (_name, version, suites) => {
    const [kind] = await firstReply(hostler.tlsPort, clientHello(version, suites));
    expect(kind).toBe(0x15);
  });

  test('the same bytes with a good cipher are answered', async () => {
    const [kind] = await firstReply(hostler.tlsPort, clientHello(0x0303, [0xc02b]));
    expect(kind).toBe(0x16);
  });

  test.each([
    ['-verify_hostname', 'localhost', 'Verify return code: 0 (ok)'],
    ['-verify_hostname', os.hostname().toLowerCase().split('.')[0] ?? '', 'Verify return code: 0 (ok)'],
    ['-verify_ip', '127.0.0.1', 'Verify return code: 0 (ok)'],
    ['-verify_ip', '::1', 'Verify return code: 0 (ok)'],
    ['-verify_hostname', 'bank.example', 'hostname mismatch'],
    ['-verify_ip', '8.8.8.8', 'IP address mismatch'],
  ])('%s %s: %s', async (option, name, verdict) => {
    expect(await handshake(hostler.tlsPort, ['-CAfile', authorityOf(hostler), option, name])).toContain(verdict);
  });

  test('the chain ends at an authority that can vouch for home networks only, and no client trusts it by default', async () => {
    expect(await handshake(hostler.tlsPort, [])).toContain('self-signed certificate in certificate chain');
    const { stdout } = spawnSync('openssl', ['x509', '-in', authorityOf(hostler), '-noout', '-text'], {
      encoding: 'utf8',
    });
    expect(stdout).toContain('CA:TRUE, pathlen:0');
    expect(stdout).toMatch(/Name Constraints: critical\s+Permitted:/);
    const soon = spawnSync('openssl', [
      'x509',
      '-in',
      path.join(hostler.directory, 'state/tls/machine.pem'),
      '-noout',
      '-checkend',
      String(60 * 86_400),
    ]);
    expect(soon.status).toBe(0);
    expect(fs.readFileSync(authorityOf(hostler), 'utf8')).not.toContain('PRIVATE');
    for (const file of ['authority.pem', 'machine.pem'])
      expect(fs.statSync(path.join(hostler.directory, 'state/tls', file)).mode & 0o777).toBe(0o600);
  });

  test('renegotiation is refused, and no data is accepted before the handshake is complete', async () => {
    // openssl prints when it begins, and verifies the certificate a second time if the server cooperates.
    const isTaken = (said: string) => (said.split('RENEGOTIATING')[1] ?? '').includes('verify return:1');
    const again = await handshake(hostler.tlsPort, ['-tls1_2'], 'R\n');
    expect(again).toContain('RENEGOTIATING');
    expect(isTaken(again)).toBe(false);
    expect(again.split('RENEGOTIATING')[1]).toMatch(
      /:error:[^\n]*(?:no renegotiation|unexpected message|unexpected eof)/i,
    );
    // The same request to a server that allows it: so openssl does not refuse it.
    const { certificate, key } = selfSigned(home, 'renegotiating');
    const port = await freePort();
    const args = [
      's_server',
      '-accept',
      String(port),
      '-cert',
      certificate,
      '-key',
      key,
      '-client_renegotiation',
      '-quiet',
    ];
    // It ends with its input.
    const server = spawn('openssl', args, { stdio: ['pipe', 'ignore', 'ignore'] });
    try {
      await until(async () => (await handshake(port, ['-tls1_2'])).includes('New, TLSv1.2'), 'it answers');
      expect(isTaken(await handshake(port, ['-tls1_2'], 'R\n', /RENEGOTIATING[\s\S]*verify return:1/))).toBe(true);
    } finally {
      server.kill();
    }
    const ticket = path.join(home, 'session.pem');
    const first = await handshake(hostler.tlsPort, ['-tls1_2', '-sess_out', ticket]);
    expect(first).toContain('New, TLSv1.2');
    expect(await handshake(hostler.tlsPort, ['-tls1_3'])).not.toMatch(/Max Early Data: [1-9]/);
  });

  test('data, metrics, documents and parts of files are served', () => {
    expect(JSON.parse(curl(hostler, '/api/data/memory')).virtual.total).toBeGreaterThan(0);
    expect(curl(hostler, '/metrics')).toContain('# EOF');
    expect(JSON.parse(curl(hostler, '/api/openapi.json')).openapi).toBe('3.1.0');
    const music = path.join(home, 'Music');
    fs.mkdirSync(music, { recursive: true });
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));
    fs.writeFileSync(path.join(music, 'song.mp3'), bytes);
    const route = `/api/media/file/data?base=music&path=song.mp3&token=${hostler.token}`;
    const part = curl(hostler, route, '-i', '-H', 'Range: bytes=100000-100009');
    expect(part).toMatch(/^HTTP\/1\.1 206[\s\S]*content-range: bytes 100000-100009\/300000/i);
    expect(Buffer.from(part.slice(-10), 'latin1')).toEqual(bytes.subarray(100_000, 100_010));
    expect(Buffer.from(curl(hostler, route), 'latin1').equals(bytes)).toBe(true);
  });

  test('an agent of this machine counts as local on this port as well', () => {
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    };
    const said = curl(
      hostler,
      '/api/mcp',
      '-H',
      'Content-Type: application/json',
      '-H',
      'Accept: application/json, text/event-stream',
      '-d',
      JSON.stringify(hello),
    );
    expect(said).toContain('"serverInfo"');
  });

  test('pages of this port may use it, those of the other port and of other origins may not', () => {
    const from = (origin: string) =>
      curl(hostler, '/api/health', '-o', '/dev/null', '-w', '%{http_code}', '-H', `Origin: ${origin}`);
    expect(from(`https://localhost:${hostler.tlsPort}`)).toBe('200');
    // Another program may listen at another address of this machine.
    expect(from(`https://127.0.0.1:${hostler.tlsPort}`)).toBe('403');
    expect(from(`http://localhost:${hostler.port}`)).toBe('403');
    expect(from(`https://localhost:${hostler.port}`)).toBe('403');
    expect(from('https://evil.example')).toBe('403');
    expect(curl(hostler, '/api/health', '-i')).not.toMatch(/strict-transport/i);
  });

  test('listeners on both ports stay connected over renewals, and a renewal loses at most the connections not accepted yet', async () => {
    const ca = fs.readFileSync(authorityOf(hostler), 'utf8');
    const received = { plain: 0, secure: 0 };
    const states: string[] = [];
    const listen = (kind: keyof typeof received, url: string) => {
      const client = createClient({ where: { url, token: hostler.token }, pin: pinTo({ read: () => ca, write() {} }) });
      clients.push(client);
      client.onState((state) => states.push(`${kind} ${state}`));
      client.listen(['cpu'], () => {
        received[kind] += 1;
      });
    };
    listen('plain', hostler.base);
    listen('secure', `https://127.0.0.1:${hostler.tlsPort}`);
    await until(() => received.plain >= 2 && received.secure >= 2, 'both listen');
    const fingerprint = async () => {
      const said = await handshake(hostler.tlsPort, []);
      return /-----BEGIN CERTIFICATE-----[^-]+/.exec(said)?.[0];
    };
    let interruptions = 0;
    let asked = 0;
    let done = false;
    const asking = Array.from({ length: 4 }, async () => {
      let served = true;
      while (!done || !served) {
        asked += 1;
        const before = served;
        served = await fetch(`https://127.0.0.1:${hostler.tlsPort}/api/health`, {
          tls: { ca },
          headers: { Connection: 'close' },
        }).then(
          ({ status }) => status === 200,
          () => false,
        );
        if (before && !served) interruptions += 1;
      }
    });
    for (let round = 0; round < 3; round++) {
      const before = await fingerprint();
      const { code, stdout } = await runHostler(['tls', 'renew'], { directory: hostler.directory });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('A new certificate was created') });
      await until(async () => (await fingerprint()) !== before, 'the new certificate is used');
    }
    const count = received.secure;
    await until(() => received.secure > count + 2, 'updates go on');
    done = true;
    await Promise.all(asking);
    expect(asked).toBeGreaterThan(10);
    // Each client has one connection at a time and retries at once, so a renewal interrupts it at most once.
    expect(interruptions).toBeLessThanOrEqual(3 * asking.length);
    expect(states.sort()).toEqual(['plain connecting', 'plain open', 'secure connecting', 'secure open']);
    expect(ca).toBe(fs.readFileSync(authorityOf(hostler), 'utf8'));
  });

  test('a session ticket from before a renewal is invalid after it', async () => {
    const ticket = path.join(home, 'ticket.pem');
    await handshake(hostler.tlsPort, ['-tls1_2', '-sess_out', ticket]);
    expect(await handshake(hostler.tlsPort, ['-tls1_2', '-sess_in', ticket])).toContain('Reused, TLSv1.2');
    await runHostler(['tls', 'renew'], { directory: hostler.directory });
    await until(
      async () => (await handshake(hostler.tlsPort, ['-tls1_2', '-sess_in', ticket])).includes('New, TLSv1.2'),
      'a new session',
    );
  });

  test('a client pins at the first use, and is refused by the next machine at that address', async () => {
    const memory: { pin: string | null; shown: string } = { pin: null, shown: '' };
    const pin = pinTo({
      read: () => memory.pin,
      write(certificate, fingerprint) {
        memory.pin = certificate;
        memory.shown = fingerprint;
      },
    });
    const where = { url: `https://127.0.0.1:${hostler.tlsPort}`, token: hostler.token };
    const first = createClient({ where, pin });
    clients.push(first);
    expect((await first.read('memory')).virtual.total).toBeGreaterThan(0);
    const { stdout } = await runHostler(['tls', 'fingerprint', '--json'], { directory: hostler.directory });
    expect(JSON.parse(stdout).authority).toBe(memory.shown);
    const other = await start({ tls: 'auto' });
    memory.pin = fs.readFileSync(authorityOf(other), 'utf8');
    const second = createClient({ where, pin });
    clients.push(second);
    const refused = await second.read('memory').catch(({ code, message }) => ({ code, message }));
    expect(refused).toEqual({
      code: 'CERTIFICATE_CHANGED',
      message: expect.stringContaining('Another machine may be answering'),
    });
    expect(second.state).toBe('refused');
    await other.stop();
    running.splice(
      running.findIndex(({ pid }) => pid === other.pid),
      1,
    );
  });

  test('pairing through a relay with a certificate of its own grants nothing, and the relay is not stored', async () => {
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-tls-'));
    const { machine } = await issue({
      ...{ authority: null, authorityName: 'Hostler authority of desk', permittedDomains: ['local'] },
      ...{ machineName: 'desk', names: ['desk.local'], addresses: ['127.0.0.1'], now: Date.now() },
    });
    const relay = tls.createServer({ cert: machine.certificate, key: machine.key }, (socket) => {
      const onward = net.connect(hostler.port, '127.0.0.1');
      for (const end of [socket, onward]) end.on('error', () => {});
      socket.pipe(onward).pipe(socket);
    });
    relay.on('tlsClientError', () => {});
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    const { stdout } = await runHostler(['pair'], { directory: hostler.directory });
    const address = `https://127.0.0.1:${(relay.address() as net.AddressInfo).port}`;
    const { code, stderr } = await runHostler(['pair', address, '--name', 'relayed', '--code'], {
      directory: elsewhere,
      input: `${/^Code: (\S+)$/m.exec(stdout)?.[1]}\n`,
    });
    relay.close();
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not the certificate of this machine')]);
    expect(fs.existsSync(path.join(elsewhere, 'state/known-machines.json'))).toBe(false);
    expect((await runHostler(['token', 'list'], { directory: hostler.directory })).stdout).not.toContain('relayed');
    fs.rmSync(elsewhere, { recursive: true });
  });

  test('another machine that pairs stores the authority at the first use, and refuses any other', async () => {
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-tls-'));
    const address = `127.0.0.1:${hostler.tlsPort}`;
    const fingerprintOf = async ({ directory }: { directory: string }) =>
      JSON.parse((await runHostler(['tls', 'fingerprint', '--json'], { directory })).stdout).authority;
    const pairByCode = async () => {
      const { stdout } = await runHostler(['pair'], { directory: hostler.directory });
      const input = `${/^Code: (\S+)$/m.exec(stdout)?.[1]}\n`;
      const args = ['pair', `https://${address}`, '--name', 'laptop', '--code'];
      const [program = '', ...before] = commandLine(false);
      const options = { env: serviceEnvironment(elsewhere, {}), encoding: 'utf8', input } as const;
      return spawnSync(program, [...before, ...args], options);
    };
    const first = await pairByCode();
    expect([first.status, first.stderr]).toEqual([0, expect.stringContaining('gave this machine access')]);
    expect(first.stderr).toContain(`. Its fingerprint is ${await fingerprintOf(hostler)}`);
    const again = await pairByCode();
    expect(again.status).toBe(0);
    expect(again.stderr).not.toContain('first connection');
    // As if another machine had that address at the first use.
    const other = await start({ tls: 'auto' });
    const file = path.join(elsewhere, 'state/known-machines.json');
    const [known] = JSON.parse(fs.readFileSync(file, 'utf8'));
    const others = {
      certificate: fs.readFileSync(authorityOf(other), 'utf8'),
      fingerprint: await fingerprintOf(other),
    };
    fs.writeFileSync(file, JSON.stringify([{ ...known, ...others }]));
    const changed = await pairByCode();
    expect(changed.status).toBe(1);
    expect(changed.stderr).toContain(
      `THE CERTIFICATE OF https://${address} HAS CHANGED. Another machine may be answering`,
    );
    expect(changed.stderr).toContain(`tls trust ${address}`);
    const trust = (...options: string[]) => {
      const [program = '', ...before] = commandLine(false);
      const env = serviceEnvironment(elsewhere, {});
      return spawnSync(program, [...before, 'tls', 'trust', address, ...options], { env, encoding: 'utf8' });
    };
    expect(trust().stderr).toContain('give --fingerprint');
    expect(trust('--fingerprint', others.fingerprint).stderr).toContain('has another fingerprint');
    expect((await pairByCode()).status).toBe(1);
    expect(trust('--fingerprint', await fingerprintOf(hostler)).status).toBe(0);
    expect((await pairByCode()).status).toBe(0);
    await other.stop();
    running.splice(
      running.findIndex(({ pid }) => pid === other.pid),
      1,
    );
    fs.rmSync(elsewhere, { recursive: true });
  });

  test('plain HTTP, noise and half a handshake are refused, and cost little', async () => {
    const plain = await firstReply(hostler.tlsPort, Buffer.from('GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n'));
    expect(plain.toString('latin1')).not.toContain('HTTP/1.1 200');
    for (const noise of ['\0'.repeat(4096), 'x'.repeat(70_000), Buffer.alloc(5, 0x16)]) {
      const socket = net.connect(hostler.tlsPort, '127.0.0.1');
      socket.on('error', () => {});
      socket.end(noise);
    }
    const hello = clientHello(0x0303, [0xc02b]);
    const before = residentMiB(hostler.pid);
    const open = Array.from({ length: 2000 }, (_, at) => {
      const socket = net.connect(hostler.tlsPort, '127.0.0.1', () => {
        if (at % 3 === 1) socket.write(hello.subarray(0, 40));
        if (at % 3 === 2) socket.write(hello);
      });
      socket.on('error', () => {});
      return socket;
    });
    await until(() => open.every((socket) => !socket.connecting), 'all are connected or refused');
    for (let round = 0; round < 20; round++) expect((await hostler.get('/api/health', {})).status).toBe(200);
    expect(curl(hostler, '/api/health')).toContain('healthy');
    expect(residentMiB(hostler.pid) - before).toBeLessThan(150);
    for (const socket of open) socket.destroy();
  });
});

describe.skipIf(!isPossible || !needs('prlimit'))('half handshakes', () => {
  test('count as unauthenticated: with few descriptors most of them are closed, and others are served', async () => {
    const hostler = await start({ tls: 'auto' }, { through: ['prlimit', '--nofile=1024:1024'] });
    const hello = clientHello(0x0303, [0xc02b]);
    const open = Array.from({ length: 900 }, (_, at) => {
      const socket = net.connect(hostler.tlsPort, '127.0.0.1', () => {
        if (at % 2 === 0) socket.write(hello);
      });
      socket.on('error', () => {});
      return socket;
    });
    const connected = () => fs.readdirSync(`/proc/${hostler.pid}/fd`).length;
    await until(() => connected() < 500, 'most have been ended');
    expect(curl(hostler, '/api/health')).toContain('healthy');
    expect((await hostler.get('/api/health', {})).status).toBe(200);
    for (const socket of open) socket.destroy();
    await hostler.stop();
    running.splice(0);
  });
});

/** openssl creates no expired certificate. */
async function issuedIn2020(directory: string): Promise<{ certificate: string; key: string }> {
  const { machine } = await issue({
    authority: null,
    authorityName: 'Once',
    permittedDomains: ['localhost'],
    machineName: 'expired',
    names: ['localhost'],
    addresses: [],
    now: Date.UTC(2020, 0, 1),
  });
  const files = { certificate: path.join(directory, 'expired.crt'), key: path.join(directory, 'expired.key') };
  fs.writeFileSync(files.certificate, machine.certificate);
  fs.writeFileSync(files.key, machine.key, { mode: 0o600 });
  return files;
}

describe.skipIf(!isPossible)('TLS with a certificate of the user', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-tls-'));
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
  });
  afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

  const subjectAt = async (port: number) => /subject=CN = (\S+)/.exec(await handshake(port, []))?.[1] ?? null;

  test('it is followed when it changes; an invalid one is named, and the previous one stays', async () => {
    const files = selfSigned(scratch, 'first');
    const hostler = await start({ tls: 'files', tlsCertificate: files.certificate, tlsKey: files.key });
    expect(await subjectAt(hostler.tlsPort)).toBe('first');
    const put = ({ certificate, key }: { certificate: string; key: string }) => {
      fs.copyFileSync(key, files.key);
      fs.copyFileSync(certificate, files.certificate);
    };
    put(selfSigned(scratch, 'second'));
    await until(async () => (await subjectAt(hostler.tlsPort)) === 'second', 'the second one is used');
    const other = selfSigned(scratch, 'other');
    const expired = await issuedIn2020(scratch);
    const cases: [string, () => void][] = [
      ['the key belongs to another certificate', () => fs.copyFileSync(other.certificate, files.certificate)],
      ['it holds no certificate in PEM format', () => fs.writeFileSync(files.certificate, 'nonsense')],
      ['expired on 2020-03-', () => put(expired)],
      ['does not exist', () => fs.rmSync(files.certificate)],
      [
        'can be read or changed by other users',
        () => {
          put(selfSigned(scratch, 'third'));
          fs.chmodSync(files.key, 0o644);
        },
      ],
    ];
    for (const [sentence, spoil] of cases) {
      spoil();
      await until(() => hostler.output().includes(sentence), sentence);
      expect(await subjectAt(hostler.tlsPort)).toBe('second');
    }
    expect(hostler.output()).toContain('The previous certificate stays in use');
    fs.chmodSync(files.key, 0o600);
    await until(async () => (await subjectAt(hostler.tlsPort)) === 'third', 'it is used once it is fixed');
  });

  test('started with an invalid one it reports that, serves the other port, and opens this one once it is fixed', async () => {
    const good = selfSigned(scratch, 'good');
    const certificate = path.join(scratch, 'later.crt');
    const hostler = await startHostler({
      prepare: serverSettings({ tls: 'files', tlsCertificate: certificate, tlsKey: good.key }),
    });
    running.push(hostler);
    expect(hostler.tlsPort).toBeNull();
    expect(hostler.output()).toContain(`tls: ${certificate} does not exist`);
    expect((await hostler.get('/api/health')).status).toBe(200);
    fs.copyFileSync(good.certificate, certificate);
    await until(() => hostler.output().includes('tls: using the certificate'), 'it is opened');
  });

  test('a port that another Hostler has is not shared with it', async () => {
    const first = await start({ tls: 'auto' });
    const port = String(await freePort());
    const second = await startHostler({
      args: ['--port', port],
      prepare: serverSettings({ tls: 'auto', tlsPort: first.tlsPort }),
    });
    running.push(second);
    expect(second.tlsPort).toBeNull();
    expect(second.output()).toContain(`tls: Port ${first.tlsPort} is in use by another program`);
  });

  test('where there is no other port, it does not start, and says why', async () => {
    const bad = { tls: 'files', tlsCertificate: '/nowhere/a.crt', tlsKey: '/nowhere/a.key', plain: 'off' };
    await expect(startHostler({ prepare: serverSettings(bad) })).rejects.toThrow('/nowhere/a.crt does not exist');
    await expect(startHostler({ prepare: serverSettings({ plain: 'off' }) })).rejects.toThrow(
      'server.plain and server.tls are both off',
    );
  });
});

describe.skipIf(!isPossible || !hasNetworks())('seen from another machine', () => {
  let ours: PrivateNetwork;
  let theirs: PrivateNetwork;
  beforeAll(() => {
    ours = createPrivateNetwork('tls-here');
    theirs = createPrivateNetwork('tls-there');
    ours.ip(`link add tls0 type veth peer name tls1 netns ${theirs.within[3]}`);
    ours.batch(['addr add 10.98.0.1/24 dev tls0', 'link set tls0 up']);
    theirs.batch(['addr add 10.98.0.2/24 dev tls1', 'link set tls1 up']);
  });
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
  });
  afterAll(() => {
    ours?.remove();
    theirs?.remove();
  });

  const within = (network: PrivateNetwork, command: string[], directory: string) => {
    const [program = '', ...args] = [...network.within, ...command];
    const { status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: serviceEnvironment(directory, {}),
    });
    return { status, stdout, stderr };
  };
  const everywhere = () => ({ through: [...ours.within], env: { SERVICE_HOST: '*' } });

  test.each(['local', 'off'])(
    'plain %s: the port without TLS is not open to them; commands and TLS work',
    async (plain) => {
      const hostler = await start({ tls: 'auto', plain }, everywhere());
      const ask = (network: PrivateNetwork, url: string) =>
        within(
          network,
          ['curl', '-sS', '-i', '--max-time', '20', '--cacert', authorityOf(hostler), url],
          hostler.directory,
        ).stdout;
      const secure = ask(theirs, `https://10.98.0.1:${hostler.tlsPort}/api/health`);
      expect(secure).toContain('healthy');
      expect(/strict-transport-security: max-age=\d+/i.test(secure)).toBe(plain === 'off');
      if (plain === 'local') {
        expect(hostler.port).not.toBe(hostler.tlsPort);
        expect(ask(theirs, `http://10.98.0.1:${hostler.port}/api/health`)).toBe('');
        expect(ask(ours, `http://127.0.0.1:${hostler.port}/api/health`)).toContain('healthy');
      } else {
        expect(hostler.output()).not.toContain('http://');
        expect(ask(ours, `https://localhost:${hostler.tlsPort}/api/health`)).not.toMatch(/strict-transport/i);
      }
      const data = await runHostler(['data', 'memory', '--json'], { directory: hostler.directory });
      expect(JSON.parse(data.stdout).virtual.total).toBeGreaterThan(0);
    },
  );

  test('discover stores the authority of a machine, recognises it, and warns when another authority signs for it', async () => {
    const hostler = await start({ tls: 'auto' }, everywhere());
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-tls-'));
    const command = (...args: string[]) => within(theirs, [...commandLine(false), ...args], directory);
    const discover = () => {
      // On a busy machine packets and handshakes may come too late; the result for a machine that answered is not repeated.
      for (let tries = 0; ; tries++) {
        const { status, stdout, stderr } = command('discover', '--json', '--timeout', '4');
        const [found] = JSON.parse(stdout);
        const met = {
          status,
          stderr,
          certificate: found?.certificate ?? null,
          fingerprint: found?.fingerprint ?? null,
        };
        if (met.certificate !== null || tries === 10) return met;
      }
    };
    const fingerprint = async () =>
      JSON.parse((await runHostler(['tls', 'fingerprint', '--json'], { directory: hostler.directory })).stdout)
        .authority;
    const first = await fingerprint();
    expect(discover()).toEqual({ status: 0, stderr: '', certificate: 'new', fingerprint: first });
    expect(discover()).toEqual({ status: 0, stderr: '', certificate: 'known', fingerprint: first });
    fs.rmSync(path.join(hostler.directory, 'state/tls/authority.pem'));
    await runHostler(['tls', 'renew'], { directory: hostler.directory });
    const second = await fingerprint();
    expect(second).not.toBe(first);
    await until(() => hostler.output().includes('changed to the certificate'), 'it is used');
    const shouted = discover();
    expect({ ...shouted, stderr: '' }).toEqual({ status: 1, stderr: '', certificate: 'changed', fingerprint: second });
    expect(shouted.stderr).toMatch(/THE CERTIFICATE OF .* HAS CHANGED\. Another machine may be answering in its place/);
    expect(shouted.stderr).toContain(`tls trust 10.98.0.1:${hostler.tlsPort}`);
    expect(discover().status).toBe(1);
    const trusted = command('tls', 'trust', `10.98.0.1:${hostler.tlsPort}`, '--fingerprint', second);
    expect(trusted.stdout).toContain(`Until now   ${first}\nTrusting    ${second}`);
    expect(discover()).toEqual({ status: 0, stderr: '', certificate: 'known', fingerprint: second });
    fs.rmSync(directory, { recursive: true });
  });
});
