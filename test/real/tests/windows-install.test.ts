// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import { until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineProgram, wineStandin } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

const classes = [{ com: 'e2b3c97f-6ae1-41ac-817a-f6f92166d7dd' }, { com: '2c5bc43e-3369-4c33-ab0c-be9469677af4' }];
const program = 'C:\\hostler\\hostler.exe';
const byHand = `netsh advfirewall firewall add rule name=Hostler dir=in action=allow profile=private program="${program}"`;

const runKey = 'HKCU\\\\Software\\\\Microsoft\\\\Windows\\\\CurrentVersion\\\\Run';
const menu = 'users/root/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Hostler.lnk';

describe.skipIf(!needsWine())('installation on Windows', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    hostler = await startWineHostler({ alone: true, mounts: wineProgram('linked-token', ['advapi32']).mounts ?? [] });
  });
  afterAll(() => hostler?.stop());

  const run = (command: string) => hostler.beside(`wine ${command}; echo "rc $?"`);
  const registered = () => run(`reg query ${runKey} /v Hostler`);
  const pidOf = (text: string) => Number(/process (\d+) on http/.exec(text)?.[1]);

  test('a running service stays, is started at login from now on, and is in the Start menu', async () => {
    expect(await run('hostler.exe service status')).toContain('not started when you log in');
    const said = await run('hostler.exe service install');
    expect(said).toContain('is started when you log in');
    expect(said).toContain('Hostler is already running: process');
    expect(await registered()).toContain('"C:\\hostler\\hostler.exe" serve --background');
    const link = fs.readFileSync(hostler.drive(menu));
    expect(link.includes(Buffer.from('hostler.exe', 'utf16le')) || link.includes('hostler.exe')).toBe(true);
    // The application id for notifications is set as well, but Wine does not store it.
    const status = await run('hostler.exe service status --json');
    expect(status).toContain('"starts_at_login": true');
    expect(status).toContain('"running": true');
    expect(await run('hostler.exe settings get autostart')).toContain('true');
    const doctor = await run('hostler.exe doctor');
    expect(doctor).toContain('Hostler is started when you log in: "C:\\hostler\\hostler.exe" serve --background');
  });

  test('removing stops it and leaves only the data of the user', async () => {
    const said = await run('hostler.exe service remove');
    expect(said).toContain('Hostler was stopped');
    expect(said).toContain('no longer started');
    expect(await registered()).not.toContain('hostler.exe');
    expect(fs.existsSync(hostler.drive(menu))).toBe(false);
    expect(await run('hostler.exe settings get autostart')).toContain('false');
    expect(await run('hostler.exe service status')).toContain('Hostler is not running');
  });

  test('the log of a stopped service can be read', async () => {
    expect(await run('hostler.exe service logs')).toContain('stopped the service');
  });

  test('installing starts it at once, without a console; a restart is another process', async () => {
    const first = pidOf(await run('hostler.exe service install'));
    expect(first).toBeGreaterThan(0);
    expect(await run('hostler.exe data system')).toMatch(/^uuid /m);
    expect(await run('tasklist')).toContain('hostler.exe');
    const second = pidOf(await run('hostler.exe service restart'));
    expect(second).toBeGreaterThan(0);
    expect(second).not.toBe(first);
    expect(await run('hostler.exe service status')).toContain(`Hostler is running: process ${second} on http`);
  });

  test('a service that an administrator’s console started is reported', async () => {
    const elevated = 'Hostler runs as administrator';
    expect(await run('hostler.exe doctor')).not.toContain(elevated);
    expect(await run('hostler.exe do application.exit')).toContain('rc 0');
    const serve = "wine 'C:\\standins\\linked-token.exe' hostler.exe serve --port 0 > /tmp/elevated.txt 2>&1";
    await hostler.beside(
      `(${serve} &) ; until grep -q -e 'listening on' -e 'no linked token' /tmp/elevated.txt; do sleep 0.2; done`,
    );
    expect(await hostler.beside('cat /tmp/elevated.txt')).toContain('elevation type 2');
    const doctor = await run('hostler.exe doctor');
    expect(doctor).toContain(
      `${elevated}, so Windows gives it neither notifications with buttons nor players; run "hostler service restart"`,
    );
  });

  test('purging leaves nothing', async () => {
    expect(await run('hostler.exe service remove --purge')).toContain('AppData\\Local\\hostler was removed');
    expect(fs.existsSync(hostler.drive('users/root/AppData/Local/hostler/token'))).toBe(false);
  });
});

describe.skipIf(!needsWine())('the firewall of Windows, with a stand-in for its library', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    // A private network: an installed service listens on the default port.
    hostler = await startWineHostler({ ...wineStandin('fake-firewall', classes), alone: true });
    // The firewall is queried for the program that Windows starts.
    await run('hostler.exe service remove');
  });
  afterAll(() => hostler?.stop());

  const run = (command: string) => hostler.beside(`wine ${command}; echo "rc $?"`);
  const beLike = (mode: string) => hostler.beside(`echo ${mode} > /w/pfx/drive_c/standins/firewall.txt`);
  const rules = () =>
    run(
      'reg query HKLM\\\\SYSTEM\\\\CurrentControlSet\\\\Services\\\\SharedAccess\\\\Parameters\\\\FirewallPolicy\\\\FirewallRules',
    );

  test('a user who is not an administrator gets the command that an administrator has to run', async () => {
    await beLike('d');
    const said = await run('hostler.exe service install');
    expect(said).toContain(`after an administrator has run: ${byHand}`);
    expect(said).toContain('rc 0');
    expect(await rules()).not.toContain('Name=Hostler');
    expect(await run('hostler.exe service status')).toContain('on this private network: run, as administrator, netsh');
  });

  test('an administrator gets a rule for private networks, and only one', async () => {
    await beLike('2');
    const said = [await run('hostler.exe service install'), await run('hostler.exe service install')];
    for (const lines of said) expect(lines).toContain('now lets other devices reach Hostler on private networks');
    const kept = await rules();
    expect(kept).toContain(`v2.31|Action=Allow|Active=TRUE|Dir=In|Profile=Private|App=${program}|Name=Hostler|`);
    expect(kept.match(/Name=Hostler/g)).toHaveLength(1);
    expect(await run('hostler.exe doctor')).toContain(`lets others reach ${program} on this private network`);
  });

  test('a public network and a disabled firewall are reported', async () => {
    await beLike('4');
    expect(await run('hostler.exe service status')).toContain('Windows counts this one as public');
    await beLike('0');
    expect(await run('hostler.exe service status')).toContain('is off on this private network');
  });

  test('removing deletes the rule; where that is refused, the command for it is printed', async () => {
    await beLike('d');
    expect(await run('hostler.exe service remove')).toContain('netsh advfirewall firewall delete rule name=Hostler');
    expect(await rules()).toContain('Name=Hostler');
    await beLike('2');
    expect(await run('hostler.exe service remove')).toContain(
      'The rule of Hostler in the firewall of Windows was removed',
    );
    expect(await rules()).not.toContain('Name=Hostler');
    expect(await run('hostler.exe service remove')).not.toContain('firewall');
  });

  test('no reference to the firewall is leaked', async () => {
    expect(await hostler.beside('cat /w/pfx/drive_c/standins/firewall-live.txt')).toContain('live 0');
  });
});

describe.skipIf(!needsWine())('the task of the Task Scheduler, with a stand-in for it', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    const scheduler = wineStandin('fake-taskschd', [{ com: '0f87369f-a4e5-4cfc-bd3e-73e6154572dd' }], ['oleaut32']);
    hostler = await startWineHostler({ ...scheduler, alone: true });
    await run('hostler.exe service remove');
  });
  afterAll(() => hostler?.stop());

  const run = (command: string) => hostler.beside(`wine ${command}; echo "rc $?"`);
  const definition = () => hostler.beside('cat /w/pfx/drive_c/standins/task.xml');
  const isRestarted = async (wanted: boolean) =>
    await until(async () => ((await definition()).includes('<TimeTrigger>') === wanted ? true : null), 60_000);

  test('it replaces an entry in the Run key, and starts the service with restarts', async () => {
    await run(`reg add ${runKey} /v Hostler /d x`);
    const said = await run('hostler.exe service install');
    expect(said).toContain('Windows starts it again within a minute after a crash');
    expect(said).toContain('Hostler is running as process');
    expect(await run(`reg query ${runKey} /v Hostler`)).toContain('rc 1');
    await isRestarted(true);
    const xml = await definition();
    expect(xml).toContain(`<Command>${program}</Command>`);
    expect(xml).toMatch(/<LogonTrigger><Enabled>true<\/Enabled><UserId>S-1-5-21-[\d-]+<\/UserId>/);
    expect(await run('hostler.exe service status --json')).toContain('"starts_at_login": true');
  });

  test('after a crash the restarts stay, and the code of its end is reported', async () => {
    await run('taskkill /f /im hostler.exe');
    await hostler.beside('echo 70 > /w/pfx/drive_c/standins/result.txt');
    expect(await run('hostler.exe doctor')).toContain('It ended last with code 70');
    await isRestarted(true);
  });

  test('after a requested stop Windows does not start it again, until it is started', async () => {
    expect(await run('hostler.exe service restart')).toContain('Hostler is running as process');
    await isRestarted(true);
    await run('hostler.exe do application.exit');
    await isRestarted(false);
    expect(await run('hostler.exe service status')).toContain('does not start it again before the next login');
    expect(await run('hostler.exe service restart')).toContain('Hostler is running as process');
    await isRestarted(true);
  });

  test('an error that a restart does not fix ends the restarts, and so does a second service', async () => {
    expect(await run('hostler.exe serve --background')).toContain('rc 1');
    await isRestarted(false);
    expect(await run('hostler.exe service restart')).toContain('Hostler is running as process');
    await isRestarted(true);
    await run('taskkill /f /im hostler.exe');
    expect(await hostler.beside('SERVICE_PORT=x wine hostler.exe serve --background; echo "rc $?"')).toContain('rc 2');
    await isRestarted(false);
  });

  test('removing deletes the task', async () => {
    expect(await run('hostler.exe service remove')).toContain('no longer started');
    expect(fs.existsSync(hostler.drive('standins/task.xml'))).toBe(false);
    expect(await run('hostler.exe service status')).toContain('not started when you log in');
  });
});
