// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { bootBox, canBoot, type PrivateBox } from '../harness/box.ts';
import { built, succeed } from '../harness/boxed-service.ts';
import { architecture, debArchitecture, type MadePackages, makePackages } from '../harness/packages.ts';
import { root, until } from '../harness/service.ts';

setDefaultTimeout(420_000);

const program = '/usr/bin/hostler';

/** The package, installed as users do, on a running system. */
describe.skipIf(!canBoot(built, 'node', 'xz', 'dpkg', 'useradd', 'loginctl', 'journalctl'))(
  'with a real systemd',
  () => {
    let box: PrivateBox;
    let made: MadePackages;
    beforeAll(async () => {
      const target = `linux-${architecture}`;
      made = makePackages({ [`hostler-${target}/hostler`]: built }, { only: [target], format: 'deb' });
      const deb = made.names.find((name) => name.endsWith(`_${debArchitecture}.deb`)) ?? '';
      box = await bootBox({
        binds: [
          [made.path(deb), '/opt/package.deb'],
          [path.join(root, 'test', 'real', 'doubles', 'crash-on-signal.js'), '/opt/crash-on-signal.js'],
        ],
      });
      before = await everything();
      await succeed(box, ['dpkg', '--install', '/opt/package.deb']);
    });
    afterAll(async () => {
      await box?.remove();
      made?.[Symbol.dispose]();
    });

    /** All paths where the package or the service puts files, except the records of dpkg. */
    let before = '';
    const everything = async () => {
      const usr = ['bin', 'lib/systemd', 'lib/udev', 'lib/sysusers.d', 'share'].map((place) => `/usr/${place}`);
      const apart = ['-not', '-path', '/var/lib/dpkg/*', '-not', '-path', '/run/systemd/*'];
      const places = ['/etc', ...usr, '/var/lib', '/home', '/run'];
      return (await box.run(['find', ...places, '-iname', '*hostler*', ...apart])).stdout;
    };

    test('the package starts nothing', async () => {
      expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['inactive', 'disabled']);
      expect(await succeed(box, ['id', '-u', 'hostler'])).toMatch(/^\d+$/m);
    });

    const show = async (property: string, manager: string[] = [], options = {}) =>
      (
        await succeed(box, ['systemctl', ...manager, 'show', 'hostler', `--property=${property}`, '--value'], options)
      ).trim();

    describe('the service of the machine', () => {
      test('is installed by one command, serves as its own user with every restriction, and reports its address', async () => {
        const output = await succeed(box, [program, 'service', 'install', '--system']);
        expect(output).toContain('Hostler is started when the machine starts');
        expect(output).toContain('Hostler is running as process');
        expect(await show('ActiveState')).toBe('active');
        expect(await show('StatusText')).toMatch(/^Hostler \d.* on http:\/\/127\.0\.0\.1:9170/);
        expect(await show('UnitFileState')).toBe('enabled');
        // The unit of the package is used: no copy is made.
        expect(fs.existsSync(box.path('/etc/systemd/system/hostler.service'))).toBe(false);
        const owner = await succeed(box, ['ps', '-o', 'user=', '-p', await show('MainPID')]);
        expect(owner.trim()).toBe('hostler');
        const token = await succeed(box, ['runuser', '-u', 'hostler', '--', program, 'token']);
        expect(token.trim()).not.toBe('');
        expect(await succeed(box, ['runuser', '-u', 'hostler', '--', program, 'settings', 'get', 'autostart'])).toBe(
          'true\n',
        );
        const { stdout } = await box.run(['systemd-analyze', 'security', 'hostler', '--no-pager', '--threshold=25']);
        expect(stdout).toContain('Overall exposure level');
        expect(Number(/level for hostler.service: ([\d.]+)/.exec(stdout)?.[1])).toBeLessThanOrEqual(2.5);
      });

      test('reloads its settings, and keeps its process', async () => {
        const before = await show('MainPID');
        const settings = ['/var/lib/hostler/.config/hostler/settings.json', '{"logLevel":"DEBUG","autostart":true}'];
        await succeed(box, ['runuser', '-u', 'hostler', '--', 'sh', '-c', 'printf %s "$2" > "$1"', 'sh', ...settings]);
        await succeed(box, ['systemctl', 'reload', 'hostler']);
        await until(async () => ((await show('ActiveState')) === 'active' ? true : null));
        expect(await show('MainPID')).toBe(before);
        const get = ['runuser', '-u', 'hostler', '--', program, 'settings', 'get', 'logLevel'];
        expect(await succeed(box, get)).toBe('DEBUG\n');
        const priorities = ['journalctl', '--unit=hostler', '--output=json', '--output-fields=PRIORITY,MESSAGE'];
        await until(async () => ((await succeed(box, priorities)).includes('reload requested') ? true : null));
      });

      test('levels and messages are in the journal, without a second timestamp', async () => {
        const entries = (await succeed(box, ['journalctl', '--unit=hostler', '--output=json']))
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as { PRIORITY: string; MESSAGE: string });
        const asked = entries.find(({ MESSAGE }) => MESSAGE.endsWith('reload requested'));
        expect(asked).toMatchObject({ PRIORITY: '6', MESSAGE: 'settings: reload requested' });
        const printed = await succeed(box, [program, 'service', 'logs', '--system', '--level', 'INFO']);
        expect(printed).toMatch(/^\d{4}-\d\d-\d\dT\S+ INFO {2}settings: reload requested$/m);
      });

      test('is restarted when it was killed, and when it hangs; not when it was stopped', async () => {
        const first = await show('MainPID');
        await succeed(box, ['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'hostler']);
        const isNew = async (old: string) => {
          const [pid, state] = [await show('MainPID'), await show('ActiveState')];
          return pid !== '0' && pid !== old && state === 'active' ? pid : null;
        };
        const second = await until(() => isNew(first));
        // The interval of the unit would take a minute.
        const dropIn = '/etc/systemd/system/hostler.service.d';
        await succeed(box, ['mkdir', '-p', dropIn]);
        fs.writeFileSync(box.path(`${dropIn}/fast.conf`), '[Service]\nWatchdogSec=8\nTimeoutAbortSec=1\n');
        await succeed(box, ['systemctl', 'daemon-reload']);
        await succeed(box, ['systemctl', 'restart', 'hostler']);
        const third = await until(() => isNew(second));
        // It answers: it is still the same after twice that time.
        await new Promise((resolve) => setTimeout(resolve, 18_000));
        expect(await show('MainPID')).toBe(third);
        await succeed(box, ['systemctl', 'kill', '--signal=STOP', '--kill-whom=main', 'hostler']);
        const fourth = await until(() => isNew(third));
        expect(await succeed(box, ['journalctl', '--unit=hostler'])).toContain('Watchdog timeout');
        await succeed(box, ['kill', '-TERM', fourth]);
        await until(async () => ((await show('ActiveState')) === 'inactive' ? true : null));
        expect(await show('Result')).toBe('success');
        const { stdout } = await box.run([program, 'service', 'status', '--system']);
        expect(stdout).toContain('Hostler is not running (inactive)');
        expect(await succeed(box, [program, 'service', 'restart', '--system'])).toContain(
          'Hostler is running as process',
        );
      });

      /** Repeats it until systemd gives up; returns the count. */
      const untilLeftAlone = async (end: (pid: string) => Promise<unknown>): Promise<number> => {
        for (let times = 0; ; times++) {
          const pid = await until(async () => {
            const [main, state] = [await show('MainPID'), await show('ActiveState')];
            if (state === 'failed') return 'none';
            return main !== '0' && state === 'active' ? main : null;
          });
          if (pid === 'none') return times;
          await end(pid);
          await until(async () => ((await show('MainPID')) === pid ? null : true));
        }
      };

      test('is not restarted after repeated kills in a minute; a restart by hand starts it', async () => {
        await succeed(box, [program, 'service', 'restart', '--system']);
        const times = await untilLeftAlone((pid) => succeed(box, ['kill', '-KILL', pid]));
        // More on a machine where a minute is over before that.
        expect(times).toBeGreaterThanOrEqual(5);
        expect(await succeed(box, ['journalctl', '--unit=hostler'])).toContain('Start request repeated too quickly');
        expect(await succeed(box, [program, 'service', 'restart', '--system'])).toContain(
          'Hostler is running as process',
        );
      });

      test('a bug that recurs five times in a minute stops it with a message in the journal, and reports', async () => {
        const dropIn = '/etc/systemd/system/hostler.service.d';
        await succeed(box, ['mkdir', '-p', dropIn]);
        // The unit unsets BUN_OPTIONS: only here it is allowed.
        const lines = ['[Service]', 'UnsetEnvironment=', 'Environment=BUN_OPTIONS=--preload=/opt/crash-on-signal.js'];
        fs.writeFileSync(box.path(`${dropIn}/crash.conf`), `${lines.join('\n')}\n`);
        await succeed(box, ['systemctl', 'daemon-reload']);
        await succeed(box, [program, 'service', 'restart', '--system']);
        const times = await untilLeftAlone((pid) => succeed(box, ['kill', '-USR2', pid]));
        expect(times).toBeGreaterThanOrEqual(5);
        expect(await show('ExecMainStatus')).toBe('70');
        const journal = await succeed(box, ['journalctl', '--unit=hostler', '--output=cat']);
        expect(journal).toContain('Hostler crashed 5 times within a minute. systemd starts it no more than five times');
        expect(journal).toContain('Hostler crashed 4 times in the past day; the newest report is');
        const reports = '/var/lib/hostler/.local/state/hostler/crashes';
        expect(await succeed(box, ['ls', reports])).toContain('crash-5.txt');
        const { stdout } = await box.run(['runuser', '-u', 'hostler', '--', program, 'doctor']);
        expect(stdout).toMatch(/✗ crash .*crash-5\.txt/);
        await succeed(box, ['rm', `${dropIn}/crash.conf`]);
        await succeed(box, ['systemctl', 'daemon-reload']);
        expect(await succeed(box, [program, 'service', 'restart', '--system'])).toContain(
          'Hostler is running as process',
        );
      });

      test('an error that a restart cannot fix does not restart it', async () => {
        const dropIn = '/etc/systemd/system/hostler.service.d';
        fs.writeFileSync(box.path(`${dropIn}/wrong.conf`), '[Service]\nEnvironment=SERVICE_PORT=many\n');
        await succeed(box, ['systemctl', 'daemon-reload']);
        const { code, stderr } = await box.run([program, 'service', 'restart', '--system']);
        expect(code).toBe(1);
        expect(stderr).toContain('does not start (exit-code)');
        expect([await show('ExecMainStatus'), await show('ActiveState'), await show('NRestarts')]).toEqual([
          '2',
          'failed',
          '0',
        ]);
        await succeed(box, ['rm', '-r', dropIn]);
        await succeed(box, ['systemctl', 'daemon-reload']);
      });

      test('is removed, and leaves nothing but what the package installed', async () => {
        const output = await succeed(box, [program, 'service', 'remove', '--system', '--purge']);
        expect(output).toContain('/var/lib/hostler was removed');
        expect([await show('ActiveState'), await show('UnitFileState')]).toEqual(['inactive', 'disabled']);
        expect(fs.existsSync(box.path('/var/lib/hostler'))).toBe(false);
        expect(fs.readdirSync(box.path('/etc/systemd/system')).filter((name) => name.includes('hostler'))).toEqual([]);
      });
    });

    describe('the service of a user', () => {
      const user = { uid: 0, gid: 0 };
      const home = '/home/alice';
      const as = () => ({ user, env: { HOME: home, XDG_RUNTIME_DIR: `/run/user/${user.uid}` } });
      const hostler = (...args: string[]) => succeed(box, [program, ...args], as());
      beforeAll(async () => {
        await succeed(box, ['useradd', '--create-home', '--shell', '/bin/sh', 'alice']);
        user.uid = Number(await succeed(box, ['id', '-u', 'alice']));
        user.gid = user.uid;
      });
      const login = async () => {
        await succeed(box, [
          'systemd-run',
          '--quiet',
          '--unit=login-of-alice',
          '--property=PAMName=login',
          '--property=User=alice',
          '--property=StandardInput=null',
          '--setenv=XDG_SESSION_CLASS=user',
          'sleep',
          '3600',
        ]);
        await until(() => (fs.existsSync(box.path(`/run/user/${user.uid}/bus`)) ? true : null));
      };
      const logout = async () => {
        await succeed(box, ['systemctl', 'stop', 'login-of-alice']);
        await until(async () => {
          const { stdout } = await box.run(['systemctl', 'is-active', `user@${user.uid}.service`]);
          return stdout.trim() === 'active' ? null : true;
        });
      };
      const runs = async () => (await box.run(['pgrep', '-u', 'alice', '-x', 'hostler'])).stdout.trim();

      test('needs a login, and the error says what to do', async () => {
        const { code, stderr } = await box.run([program, 'service', 'install'], as());
        expect(code).toBe(1);
        expect(stderr).toContain('Log in as this user, or install Hostler for the machine with --system');
      });

      test('is installed for a logged-in user, ends with the session, and comes back at the next login', async () => {
        await login();
        const output = await hostler('service', 'install');
        expect(output).toContain('Hostler is started when you log in');
        expect(output).toContain('Hostler is running as process');
        expect(output).toContain('service install --linger');
        expect(await hostler('settings', 'get', 'autostart')).toBe('true\n');
        expect(await show('StatusText', ['--user'], as())).toContain('http://127.0.0.1:9170');
        await logout();
        await until(async () => ((await runs()) === '' ? true : null));
        await login();
        await until(async () => ((await runs()) === '' ? null : true));
      });

      test('the setting and the command are equivalent, both ways', async () => {
        await hostler('settings', 'set', 'autostart', 'false');
        const state = () => show('UnitFileState', ['--user'], as());
        await until(async () => ((await state()) === 'disabled' ? true : null));
        expect(await runs()).not.toBe('');
        expect(await hostler('service', 'status')).toContain('Hostler is not started when you log in');
        await succeed(box, ['systemctl', '--user', 'enable', 'hostler'], as());
        await hostler('service', 'restart');
        await until(async () => ((await hostler('settings', 'get', 'autostart')) === 'true\n' ? true : null));
      });

      test('with lingering it outlives the session', async () => {
        // polkit asks an administrator: the error says what to do.
        const refused = await box.run([program, 'service', 'install', '--linger'], as());
        if (refused.code !== 0) {
          expect(refused.stderr).toContain('sudo loginctl enable-linger alice');
          await succeed(box, ['loginctl', 'enable-linger', 'alice']);
        }
        expect(await hostler('service', 'status')).toContain('(lingering)');
        const before = await until(async () => (await runs()) || null);
        await succeed(box, ['systemctl', 'stop', 'login-of-alice']);
        await new Promise((resolve) => setTimeout(resolve, 12_000));
        expect(await runs()).toBe(before);
      });

      test('one that was started by hand is a conflict, and the error says so', async () => {
        await succeed(box, ['systemctl', '--user', 'stop', 'hostler'], as());
        await succeed(
          box,
          ['systemd-run', '--user', '--quiet', '--unit=by-hand', '--setenv=NOTIFY_SOCKET=', program, 'serve'],
          as(),
        );
        const ask = () => box.run([program, 'status', '--json'], as());
        await until(async () => ((await ask()).code === 0 ? true : null));
        const output = await hostler('service', 'install');
        expect(output).toContain(
          'Hostler was not started, because another Hostler of yours is already running as process',
        );
        const { second_instance } = JSON.parse(await hostler('service', 'status', '--json')) as {
          second_instance: string;
        };
        expect(second_instance).toContain('another Hostler of yours');
        await succeed(box, ['systemctl', '--user', 'stop', 'by-hand'], as());
        expect(await hostler('service', 'restart')).toContain('Hostler is running as process');
      });

      test('is removed with everything it wrote', async () => {
        const output = await hostler('service', 'remove', '--purge');
        expect(output).toContain('was removed');
        expect(await runs()).toBe('');
        const left = await succeed(box, ['find', home, '/run/user', '-iname', '*hostler*']);
        expect(left).toBe('');
      });
    });

    test('purged, the package leaves the system as it was', async () => {
      await succeed(box, ['loginctl', 'disable-linger', 'alice']);
      await succeed(box, ['dpkg', '--purge', 'hostler']);
      expect(await everything()).toBe(before);
      expect((await box.run(['id', 'hostler'])).code).not.toBe(0);
    });
  },
);
