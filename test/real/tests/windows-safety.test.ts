// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

const state = 'users/root/AppData/Local/hostler';
const machine = 'ProgramData/hostler';
const inPrefix = (file: string) => `"$0/w/pfx/drive_c/${file}"`;

describe.skipIf(!needsWine())('stored secrets and trust of the Windows build', () => {
  let hostler: WineHostler;
  const run = (command: string) => hostler.beside(`wine ${command}; echo "rc $?"`);

  beforeAll(async () => {
    const settings = JSON.stringify({ server: { tls: 'auto', tlsPort: 0 } });
    hostler = await startWineHostler({
      mounts: [
        ...(wineProgram('squat-pipe').mounts ?? []),
        // Allows windows without a display, which Wine refuses by default.
        `printf '\\n[Software\\\\\\\\Wine\\\\\\\\Drivers] 1700000000\\n"Graphics"="null"\\n' >> "$0/w/pfx/user.reg"`,
        `mkdir -p ${inPrefix(state)} ${inPrefix(machine)}`,
        `printf %s '${settings}' > ${inPrefix(`${state}/settings.json`)}`,
        `printf %s '{"locked": {"logLevel": "ERROR"}}' > ${inPrefix(`${machine}/settings.json`)}`,
      ],
    });
  });
  afterAll(() => hostler?.stop());

  test('keys and passwords for other machines are encrypted, and can be decrypted again', async () => {
    const file = hostler.drive(`${state}/tls/authority.pem`);
    await until(() => (fs.existsSync(hostler.drive(`${state}/tls/machine.pem`)) ? true : null), 60_000);
    const text = fs.readFileSync(file, 'utf8');
    expect(text).toMatch(/^sealed:[A-Za-z0-9+/=]+\n$/);
    expect(Buffer.from(text.slice(7), 'base64').toString('latin1')).not.toContain('PRIVATE KEY');
    // Public certificates are readable by all users.
    expect(fs.readFileSync(hostler.drive(`${state}/tls/authority.crt`), 'utf8')).toContain('BEGIN CERTIFICATE');
    expect(await run('hostler.exe tls fingerprint')).toMatch(/authority +[0-9A-F:]{20}/i);
    await hostler.beside('echo "a secret" > /w/pfx/drive_c/password.txt');
    const options = '--url mqtt://127.0.0.1:1 --username me --password-file C:\\\\password.txt';
    await run(`hostler.exe mqtt setup ${options} --force`);
    expect(fs.readFileSync(hostler.drive(`${state}/mqtt-password`), 'utf8')).toMatch(/^sealed:/);
  });

  test('settings of the administrator are ignored where another user could have written them', async () => {
    // Under Wine everything belongs to the user.
    await until(() => (hostler.output().includes('is not used because others than administrators') ? true : null));
    expect(hostler.output()).toContain('icacls "C:\\ProgramData\\hostler" /setowner *S-1-5-32-544');
    expect(await run('hostler.exe settings set logLevel DEBUG')).toContain('rc 0');
    expect(await run('hostler.exe settings get logLevel')).toContain('DEBUG');
  });

  test('when the session ends, it notifies clients and cleans up', async () => {
    const client = await connectSocket(hostler);
    const running = hostler.drive(`${state}/service.json`);
    expect(fs.existsSync(running)).toBe(true);
    // As at a log-off: Wine queries every window, announces the end, and ends the remaining processes.
    const ended = hostler.beside('wine wineboot --end-session; echo "session over"');
    expect((await client.closed).code).toBe(1001);
    await until(() => (fs.existsSync(running) ? null : true), 60_000);
    expect(await ended).toContain('session over');
    expect(await run('hostler.exe power cancel')).toContain('The service is not running');
  });

  test('a pipe that another user has taken receives nothing', async () => {
    const pipe = '\\\\.\\pipe\\hostler-00000000-0000-4000-8000-000000000000';
    await hostler.beside(`(wine 'C:\\standins\\squat-pipe.exe' '${pipe}' > /tmp/squat.txt 2>&1 &)`);
    const pid = await until(
      async () => /squatting (\d+)/.exec(await hostler.beside('cat /tmp/squat.txt'))?.[1] ?? null,
      60_000,
    );
    const facts = JSON.stringify({ pid: Number(pid), port: 1, socket: pipe });
    await hostler.beside(`echo '${facts.replaceAll('\\', '\\\\')}' > /w/pfx/drive_c/${state}/service.json`);
    const said = await run('hostler.exe power cancel');
    expect(said).toContain('rc 1');
    await until(async () => ((await hostler.beside('cat /tmp/squat.txt')).includes('received') ? true : null), 60_000);
    expect(await hostler.beside('cat /tmp/squat.txt')).not.toMatch(/received [1-9]/);
    expect(said).toContain('created by another user (S-1-5-21-1-2-3-1001)');
  });
});
