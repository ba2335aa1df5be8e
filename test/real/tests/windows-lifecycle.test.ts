// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWine, startWineHostler, type WineHostler } from '../harness/wine.ts';

setDefaultTimeout(240_000);

/** Pages and texts are "opened" by copying them, since Wine has no browser. */
const associations = `REGEDIT4

[HKEY_CLASSES_ROOT\\.html]
@="hostlertest.html"

[HKEY_CLASSES_ROOT\\hostlertest.html\\shell\\open\\command]
@="C:\\\\windows\\\\system32\\\\cmd.exe /c copy \\"%1\\" C:\\\\opened.html"

[HKEY_CLASSES_ROOT\\.txt]
@="hostlertest.txt"

[HKEY_CLASSES_ROOT\\hostlertest.txt\\shell\\open\\command]
@="C:\\\\windows\\\\system32\\\\cmd.exe /c copy \\"%1\\" C:\\\\opened.txt"
`;
const put = (file: string, text: string) =>
  `echo ${Buffer.from(text).toString('base64')} | base64 -d > "$0/w/pfx/drive_c/${file}"`;
const state = 'users/root/AppData/Local/hostler';
const runKey = 'HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run';

describe.skipIf(!needsWine())('running the Windows build', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    hostler = await startWineHostler({ mounts: [put('associations.reg', associations)] });
    await hostler.beside('wine regedit /S C:\\\\associations.reg');
  });
  afterAll(() => hostler.stop());

  const run = (command: string) => hostler.beside(`wine ${command}; echo "rc $?"`);
  const registered = () => run(`reg query ${runKey} /v Hostler`);

  test('a second service is refused: one serves each user', async () => {
    const second = await run('hostler.exe serve --port 0');
    expect(second).toContain('Hostler is running already');
    expect(second).toContain('rc 1');
  });

  test('the setting "autostart" takes effect in the running service', async () => {
    const client = await connectSocket(hostler);
    await client.ask('UPDATE_SETTINGS', { autostart: true });
    await until(async () => ((await registered()).includes('hostler.exe') ? true : null), 120_000);
    await client.ask('UPDATE_SETTINGS', { autostart: false });
    await until(async () => ((await registered()).includes('hostler.exe') ? null : true), 120_000);
    client.end();
  });

  test('the dashboard is opened in the browser, signed in, by command and by double-click', async () => {
    const opened = async () =>
      until(async () => {
        const page = await hostler.beside('cat /w/pfx/drive_c/opened.html');
        return page.includes('<!doctype html') || page.includes('<html') || page.includes('<form') ? page : null;
      }, 120_000);
    expect(await run('hostler.exe open')).toContain('The dashboard is open in the browser');
    expect(await opened()).toContain(`${hostler.port}`);
    await hostler.beside('rm -f /w/pfx/drive_c/opened.html');
    // Of the desktop: neither a file nor a pipe takes its output.
    await run('hostler.exe < /dev/null > /dev/null 2>&1');
    expect(await opened()).toContain(`${hostler.port}`);
  });

  test('a file of the user is opened with its program, and a program is never opened', async () => {
    const documents = '/w/pfx/drive_c/users/root/Documents';
    const shown = 'opened by the desktop';
    await hostler.beside(`mkdir -p ${documents}; echo '${shown}' > ${documents}/a.txt; echo x > ${documents}/a.hta`);
    const client = await connectSocket(hostler);
    const answer = await client.ask('OPEN', { path: 'C:\\users\\root\\Documents\\a.txt' });
    expect(JSON.stringify(answer)).toContain('a.txt');
    await until(async () => ((await hostler.beside('cat /w/pfx/drive_c/opened.txt')).includes(shown) ? true : null));
    const refused = await client.ask('OPEN', { path: 'C:\\users\\root\\Documents\\a.hta' });
    expect(JSON.stringify(refused)).toContain('Only pictures');
    client.end();
  });

  test('the state is readable by this user alone, as far as Wine shows rights', async () => {
    expect(fs.statSync(hostler.drive(state)).mode & 0o007).toBe(0);
    const { socket } = JSON.parse(fs.readFileSync(hostler.drive(`${state}/service.json`), 'utf8')) as {
      socket: string;
    };
    expect(socket).toMatch(/^\\\\\.\\pipe\\hostler-[0-9a-f-]{36}$/);
  });

  test('completion for PowerShell calls the program itself', async () => {
    expect(await run('hostler.exe completion powershell')).toContain('Register-ArgumentCompleter');
    expect(await run('hostler.exe complete -- serv')).toContain('service');
  });

  test('a killed service loses nothing, and the next one replaces it', async () => {
    await run('hostler.exe token create --name kept --scope read');
    await run('hostler.exe settings set logLevel DEBUG');
    await run('taskkill /f /im hostler.exe');
    await hostler.beside('(wine hostler.exe serve --port 0 > /tmp/again.txt 2>&1 &)');
    await until(
      async () => ((await hostler.beside('cat /tmp/again.txt')).includes('listening on') ? true : null),
      120_000,
    );
    expect(await run('hostler.exe token list')).toContain('kept');
    expect(await run('hostler.exe settings get logLevel')).toContain('DEBUG');
    expect(await run('hostler.exe data memory')).toContain('virtual');
  });
});

describe.skipIf(!needsWine())('stopping and starting the Windows build', () => {
  test('Ctrl-C ends it cleanly', async () => {
    const file = `/w/pfx/drive_c/${state}/service.json`;
    const serve = 'script -qfc "wine hostler.exe serve --port 0" /tmp/typed.txt < /tmp/keys > /dev/null 2>&1';
    const wine = startWine(
      [
        'mkfifo /tmp/keys; (sleep 600 > /tmp/keys &)',
        `(${serve}; echo "ended $?") & while ! [ -e ${file} ]; do sleep 0.2; done`,
        'sleep 1; printf "\\\\003" > /tmp/keys; n=0',
        `while [ -e ${file} ] && [ $n -lt 150 ]; do sleep 0.2; n=$((n+1)); done`,
        `[ -e ${file} ] && echo "still there" || echo "in order"; cat /tmp/typed.txt; sleep 1; echo "test over"`,
      ].join('\n'),
      { environment: { SERVICE_HOST: '127.0.0.1', TERM: 'xterm' } },
    );
    try {
      await until(() => (wine.output().includes('test over') || !wine.isRunning() ? true : null), 200_000);
      expect(wine.output()).toContain('listening on');
      expect(wine.output()).toContain('in order');
    } finally {
      await wine.stop();
    }
  });

  test('a state directory of another user is refused, with the way to fix it', async () => {
    const place = '/w/pfx/drive_c/theirs';
    const command = [
      `mkdir ${place}; chown 65534 ${place}; chmod 777 ${place}`,
      'wine hostler.exe serve --port 0; echo "rc $?"; wine hostler.exe token; wine hostler.exe doctor; echo "test over"',
    ].join('\n');
    const wine = startWine(command, { environment: { SERVICE_STATE_DIR: 'C:\\theirs', SERVICE_HOST: '127.0.0.1' } });
    try {
      await until(() => (wine.output().includes('test over') || !wine.isRunning() ? true : null), 200_000);
      expect(wine.output()).toContain('The state directory C:\\theirs is not safe: it belongs to another account');
      expect(wine.output()).toContain('takeown /f "C:\\theirs"');
      expect(wine.output()).toContain('rc 1');
      expect(wine.output()).not.toContain('listening on');
    } finally {
      await wine.stop();
    }
  });
});
