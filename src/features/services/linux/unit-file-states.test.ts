import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { atOnce } from '../../../lib/slices.ts';
import { createUnitFileStates, parseInstall, systemUnitDirectories, userUnitDirectories } from './unit-file-states.ts';

const etc = '/etc/systemd/system';
const vendor = '/usr/lib/systemd/system';
const installed = '[Unit]\nDescription=x\n[Install]\nWantedBy=multi-user.target\n';

const statesOf = (contents: Record<string, string>, names: string[]) => {
  const files = machineFiles(contents);
  return Object.fromEntries(atOnce(createUnitFileStates(files, systemUnitDirectories).read(names)));
};

test('units have the states that systemctl is-enabled reports', () => {
  const states = statesOf(
    {
      [`${etc}/multi-user.target.wants/a.service`]: `-> ${vendor}/a.service`,
      [`${etc}/x.service.requires/needed.service`]: `-> ${vendor}/needed.service`,
      [`${etc}/dbus-org.example.service`]: `-> ${vendor}/aliased.service`,
      [`${etc}/masked.service`]: '-> /dev/null',
      [`${etc}/getty.target.wants/getty@tty1.service`]: `-> ${vendor}/getty@.service`,
      '/run/systemd/system/late.service': '-> /dev/null',
      '/run/systemd/system/multi-user.target.wants/now.service': `-> ${vendor}/now.service`,
      '/run/systemd/transient/run-1.service': '[Unit]\n',
      '/run/systemd/generator/fstab.mount': '[Unit]\n',
      '/run/systemd/generator/local-fs.target.wants/fstab.mount': '-> ../fstab.mount',
      '/run/systemd/generator/getty.target.wants/console.service': `-> ${vendor}/console.service`,
      [`${vendor}/console.service`]: installed,
      [`${vendor}/a.service`]: installed,
      [`${vendor}/off.service`]: installed,
      [`${vendor}/plain.service`]: '[Service]\nExecStart=/bin/true\n',
      [`${vendor}/socket-only.service`]: '[Install]\nAlso=socket-only.socket\n',
      [`${vendor}/getty@.service`]: installed,
    },
    [
      'a.service',
      'needed.service',
      'aliased.service',
      'masked.service',
      'getty@tty1.service',
      'getty@tty2.service',
      'late.service',
      'now.service',
      'run-1.service',
      'fstab.mount',
      'console.service',
      'off.service',
      'plain.service',
      'socket-only.service',
      'missing.service',
    ],
  );
  expect(states).toEqual({
    'a.service': 'enabled',
    'needed.service': 'enabled',
    'aliased.service': 'enabled',
    'masked.service': 'masked',
    'getty@tty1.service': 'enabled',
    'getty@tty2.service': 'disabled',
    'late.service': 'masked-runtime',
    'now.service': 'enabled-runtime',
    'run-1.service': 'transient',
    'fstab.mount': 'generated',
    'console.service': 'enabled-runtime',
    'off.service': 'disabled',
    'plain.service': 'static',
    'socket-only.service': 'indirect',
    'missing.service': null,
  });
});

test('a named pipe in place of a unit file does not block the read', async () => {
  const files = machineFiles({ [`${vendor}/other.service`]: '' });
  makeNamedPipe(`${files.root}${vendor}/pipe.service`);
  expect(atOnce(createUnitFileStates(files, systemUnitDirectories).read(['pipe.service'])).get('pipe.service')).toBe(
    'static',
  );
});

test('states are cached until forget() is called', () => {
  const files = machineFiles({ [`${vendor}/a.service`]: installed });
  const states = createUnitFileStates(files, systemUnitDirectories);
  const state = () => atOnce(states.read(['a.service'])).get('a.service');
  expect(state()).toBe('disabled');
  files.write(`${etc}/multi-user.target.wants/a.service`, `-> ${vendor}/a.service`);
  expect(state()).toBe('disabled');
  states.forget();
  expect(state()).toBe('enabled');
});

test.each([
  ['[Install]\nWantedBy=a.target', 'disabled'],
  ['[Install]\n[Unit]\nWantedBy=a.target', 'static'],
  ['# [Install]\nWantedBy=a', 'static'],
  ['[Install]\n#WantedBy=a\nAlias=b.service\n', 'disabled'],
  ['[Install]\nWantedBy=\n', 'static'],
  ['', 'static'],
])('the unit file %j is %s', (text, state) => {
  expect(parseInstall(text)).toBe(state);
});

test('user units have their own directories', () => {
  const variables: Record<string, string> = { XDG_RUNTIME_DIR: '/run/user/7' };
  const { lasting, runtime } = userUnitDirectories({
    variable: (name) => variables[name] ?? null,
    home: '/home/a',
    uid: 7,
  });
  expect(lasting).toEqual(['/home/a/.config/systemd/user', '/etc/systemd/user']);
  expect(runtime).toEqual(['/run/user/7/systemd/user', '/run/systemd/user']);
});
