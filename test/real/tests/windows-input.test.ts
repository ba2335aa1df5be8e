// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

const put = (file: string, text: string) =>
  `echo ${Buffer.from(text).toString('base64')} | base64 -d > "$0/w/pfx/drive_c/${file}"`;

/** As in the address, most of them encoded: none of them is a file in a directory of the user. */
const refused: [name: string, path: string][] = [
  ...['CON', 'nul', 'Aux.txt', 'PRN', 'com1', 'COM¹.txt', 'LPT9', 'CONIN$', 'CONOUT$', 'nul .txt'].map(
    (name): [string, string] => [`the device ${name}`, encodeURIComponent(name)],
  ),
  ['a drive', 'C%3A'],
  ['a drive with a path', encodeURIComponent('C:\\windows\\win.ini')],
  ['a path relative to a drive', encodeURIComponent('C:win.ini')],
  ['the namespace of files', encodeURIComponent('\\\\?\\C:\\windows\\win.ini')],
  ['the namespace of devices', encodeURIComponent('\\\\.\\PhysicalDrive0')],
  ['a pipe', encodeURIComponent('\\\\.\\pipe\\x')],
  ['a share', encodeURIComponent('\\\\server\\share\\a.txt')],
  ['a share with slashes', encodeURIComponent('//server/share/a.txt')],
  ['the root', encodeURIComponent('\\windows\\win.ini')],
  ['the stream of a file', encodeURIComponent('a.txt::$DATA')],
  ['another stream', encodeURIComponent('a.txt:hidden')],
  ['the stream of a directory', encodeURIComponent('.::$INDEX_ALLOCATION')],
  ['a dot at the end', encodeURIComponent('a.txt.')],
  ['blanks at the end', encodeURIComponent('a.txt  ')],
  ['a blank and a dot', encodeURIComponent('a.txt .')],
  ['parents', encodeURIComponent('..\\..\\..\\windows\\win.ini')],
  ['parents with slashes', '../../../windows/win.ini'],
  ['parents, encoded', '%2e%2e%5c%2e%2e%5c%2e%2e%5cwindows%5cwin.ini'],
  ['parents, encoded twice', '%252e%252e%255c%252e%252e%255cwindows%255cwin.ini'],
  ['three dots', encodeURIComponent('...\\a.txt')],
  ['a NUL', 'a.txt%00.mp3'],
  ['half a surrogate', '%ED%A0%80.txt'],
  ['what no encoding has', '%FF%FE.txt'],
  ['a wildcard', encodeURIComponent('*.txt')],
  ['angle brackets', encodeURIComponent('<a>|"?.txt')],
  ['8000 characters', 'a'.repeat(8000)],
  ['a deep path', encodeURIComponent(`${'d\\'.repeat(2000)}a.txt`)],
];

describe.skipIf(!needsWine())('bad input that is specific to Windows', () => {
  let hostler: WineHostler;
  const documents = '/w/pfx/drive_c/users/root/Documents';

  beforeAll(async () => {
    hostler = await startWineHostler({
      mounts: [
        ...(wineProgram('hold-file').mounts ?? []),
        'mkdir -p "$0/w/pfx/drive_c/users/root/Documents"',
        put('users/root/Documents/a.txt', 'mine'),
        put('users/root/Documents/locked.txt', 'locked'),
        // A drive that Wine treats as a network drive.
        'mkdir -p "$0/tmp/nas/deep"',
        'echo far > "$0/tmp/nas/s.txt"; echo deeper > "$0/tmp/nas/deep/d.txt"; echo out > "$0/tmp/out.txt"',
        'ln -s ../out.txt "$0/tmp/nas/link.txt"; ln -s /tmp/nas "$0/w/pfx/dosdevices/n:"',
        String.raw`printf '\n[Software\\\\Wine\\\\Drives] 1\n"n:"="network"\n' >> "$0/w/pfx/system.reg"`,
      ],
    });
  });
  afterAll(() => hostler.stop());

  const hold = async (kind: string, what: string, note: string) => {
    await hostler.beside(`(wine C:\\\\standins\\\\hold-file.exe ${kind} '${what}' 'C:\\${note}' > /dev/null 2>&1 &)`);
    const [isHeld, pid] = await until(async () => {
      const text = await hostler.beside(`cat /w/pfx/drive_c/${note}`);
      const match = /^(\d) (\d+)$/m.exec(text);
      return match === null ? null : [match[1], Number(match[2])];
    });
    expect(isHeld).toBe('1');
    return { pid: Number(pid), free: () => hostler.beside(`wine taskkill /f /pid ${pid}`) };
  };
  const file = (path: string, base = 'documents') =>
    fetch(`${hostler.base}/api/media/file/data?token=${hostler.token}&base=${base}&path=${path}`);
  /** Again while the service has the file open. */
  const change = (key: string, value: unknown) =>
    until(async () => {
      const said = await hostler.beside(
        `wine hostler.exe settings set ${key} '${JSON.stringify(value)}'; echo "rc $?"`,
      );
      return said.includes('rc 0') || null;
    });
  const isWell = async () => expect((await fetch(`${hostler.base}/api/health`)).status).toBe(200);

  test('existing files are served, in any case of their names', async () => {
    expect(await (await file('a.txt')).text()).toBe('mine');
    expect((await file('A.TXT')).status).toBe(200);
  });

  test.each(refused)(
    '%s is refused as a file with one error message, and nothing else happens',
    async (_name, path) => {
      const answer = await file(path);
      const text = await answer.text();
      expect([400, 403, 404, 414, 431]).toContain(answer.status);
      if (answer.status < 410) expect(JSON.parse(text)).toEqual({ error: expect.any(String) });
      expect(text).not.toContain('mine');
      await isWell();
    },
  );

  test('the same over WebSocket: lists, descriptions, opening, with the longest names of Windows', async () => {
    const client = await connectSocket(hostler);
    const paths = [
      ...refused.flatMap(([, path]) => {
        try {
          return [decodeURIComponent(path)];
        } catch {
          return [];
        }
      }),
      '\ud800',
      'a\udfff.txt',
      'a'.repeat(32_767),
      `C:\\${'a'.repeat(32_767)}`,
    ];
    for (const path of paths) {
      for (const [event, data] of [
        ['GET_FILES', { base: 'documents', path }],
        ['GET_FILE', { base: 'documents', path }],
        ['OPEN', { path: `C:\\users\\root\\Documents\\${path}` }],
        ['OPEN', { path }],
      ] as const) {
        const { type } = await client.ask(event, data);
        expect([event, path.slice(0, 40), type]).toEqual([event, path.slice(0, 40), 'ERROR']);
      }
    }
    client.end();
    await isWell();
  });

  test('a script is never run as a command, whatever the list contains', async () => {
    await hostler.beside(`echo 'echo hi > C:\\ran.txt' > ${documents}/x.bat`);
    const command = {
      id: 'x',
      name: 'x',
      command: 'C:\\users\\root\\Documents\\x.bat',
      workingDir: '',
      arguments: ['&calc'],
    };
    const client = await connectSocket(hostler);
    await change('commands.allowlist', [command]);
    await until(async () => {
      const answer = await client.ask('COMMAND_EXECUTE', { commandID: 'x' });
      return JSON.stringify(answer).includes('no shell') ? true : null;
    });
    expect(await hostler.beside('ls /w/pfx/drive_c')).not.toContain('ran.txt');
    client.end();
  });

  test('a file locked by another program is refused, and served when it is free', async () => {
    const held = await hold('f', 'C:\\users\\root\\Documents\\locked.txt', 'held.txt');
    const answer = await file('locked.txt');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.json()).toEqual({ error: expect.any(String) });
    await isWell();
    await held.free();
    await until(async () => ((await (await file('locked.txt')).text()) === 'locked' ? true : null));
  });

  test('settings locked by another program are reported, stay intact, and can be changed later', async () => {
    await change('logLevel', 'WARN');
    const held = await hold('f', 'C:\\users\\root\\AppData\\Local\\hostler\\settings.json', 'held-settings.txt');
    const before = fs.readFileSync(hostler.drive('users/root/AppData/Local/hostler/settings.json'), 'utf8');
    const refusedNow = await hostler.beside('wine hostler.exe settings set logLevel ERROR; echo "rc $?"');
    expect(refusedNow).toContain('rc 1');
    expect(fs.readFileSync(hostler.drive('users/root/AppData/Local/hostler/settings.json'), 'utf8')).toBe(before);
    await held.free();
    await change('logLevel', 'INFO');
  });

  test('a missing disk is an error, never a dialog on the screen', async () => {
    await hostler.beside('mkdir /tmp/stick; ln -s /tmp/stick /w/pfx/dosdevices/e:; echo s > /tmp/stick/s.txt');
    const client = await connectSocket(hostler);
    await change('media.directories', [{ name: 'stick', path: 'E:\\' }]);
    await until(async () => {
      const answer = await file('s.txt', 'stick');
      return answer.status === 200 ? true : null;
    });
    await hostler.beside('rm -r /tmp/stick');
    expect((await file('s.txt', 'stick')).status).toBe(404);
    expect((await client.ask('GET_FILES', { base: 'stick' })).type).toBe('ERROR');
    expect((await hostler.get('/api/data/disks')).status).toBe(200);
    client.end();
    await isWell();
  });

  test('a network drive is served by a separate thread, with the same refusals', async () => {
    await change('media.directories', [{ name: 'nas', path: 'N:\\' }]);
    const client = await connectSocket(hostler);
    const disks = await (await hostler.get('/api/data/disks')).text();
    expect(disks).toMatch(/"mount_point":"N:[^}]*"options":"rw,remote"/);
    await until(async () => ((await file('s.txt', 'nas')).status === 200 ? true : null));
    expect(await (await file('s.txt', 'nas')).text()).toBe('far\n');
    expect(await (await file('deep%5Cd.txt', 'nas')).text()).toBe('deeper\n');
    const listed = await client.ask('GET_FILES', { base: 'nas' });
    expect(JSON.stringify(listed.data)).toContain('s.txt');
    for (const path of ['link.txt', '..%5Cout.txt', 'nothing.txt', 'deep'])
      expect((await file(path, 'nas')).status).toBeGreaterThanOrEqual(400);
    client.end();
    await isWell();
  });

  test('a pipe held by another process is detected in bounded time, and nothing is sent through it', async () => {
    const held = await hold('p', '\\\\.\\pipe\\hostler-squatted', 'held-pipe.txt');
    const place = '/w/pfx/drive_c/users/root/AppData/Local/hostler/service.json';
    const whole = await hostler.beside(`cat ${place}`);
    const info = { pid: held.pid, host: '127.0.0.1', port: hostler.port, socket: '\\\\.\\pipe\\hostler-squatted' };
    const bytes = Buffer.from(JSON.stringify(info)).toString('base64');
    await hostler.beside(`echo ${bytes} | base64 -d > ${place}`);
    const answer = await hostler.beside('timeout 60 wine hostler.exe power cancel; echo "rc $?"');
    expect(answer).toMatch(/does not answer|not running|is not its own/);
    expect(answer).toContain('rc 1');
    await held.free();
    await hostler.beside(`echo ${Buffer.from(whole.trim()).toString('base64')} | base64 -d > ${place}`);
    expect(await hostler.beside('wine hostler.exe power cancel')).toContain('No power order is pending');
  });
});
