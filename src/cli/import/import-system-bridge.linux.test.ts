import { afterAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { openTokens } from '../../access/tokens/tokens.ts';
import { answering } from '../../core/command.ts';
import { scopes } from '../../features/index.ts';
import { machineUuid } from '../../host/linux/hardware/machine-uuid.ts';
import type { Exposure } from '../../host/storage.ts';
import { createStorage } from '../../host/storage.ts';
import { sha256 } from '../../lib/digest.ts';
import type { BridgePlace } from './bridge-places.ts';
import { importSystemBridge } from './import-system-bridge.ts';
import { linuxBridgePlaces } from './legacy-paths.linux.ts';
import { windowsBridgePlaces } from './legacy-paths.windows.ts';

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler import-'));
afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

const token = '3f2b8c1a-0e93-4d5e-9b8a-7d0c2a4e51f3';
const films = path.join(scratch, 'films');
fs.mkdirSync(films);

/** A home, with files of System Bridge below ~/.local/share; its token is private, as `umask 077` leaves it. */
function home(files: Record<string, string> = {}, settings?: string, machine: Record<string, string> = {}) {
  const directory = fs.mkdtempSync(path.join(scratch, 'home-'));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(directory, '.local', 'share', name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content, { mode: 0o600 });
  }
  const paths = { config: path.join(directory, 'config'), state: path.join(directory, 'state'), runtime: null };
  if (settings !== undefined) {
    fs.mkdirSync(paths.config, { recursive: true });
    fs.writeFileSync(path.join(paths.config, 'settings.json'), settings);
  }
  const exposed = new Map<string, Exposure>();
  const parts = (variables: Record<string, string> = {}) =>
    fakeHost({
      storage: createStorage((place) => exposed.get(place) ?? null),
      paths,
      environment: { home: directory, variables },
      files: machineFiles(machine),
    });
  const lines: string[] = [];
  const complaints: string[] = [];
  const run = (
    { json = false, ...flags }: { yes?: boolean; json?: boolean },
    typed: string | null = null,
    variables: Record<string, string> = {},
  ) =>
    importSystemBridge(
      {
        host: parts(variables),
        ...answering((line) => void lines.push(line), json),
        complain: (line) => void complaints.push(line),
      },
      flags,
      {
        places: async (): Promise<BridgePlace[]> => linuxBridgePlaces(parts(variables)),
        prompt: () => ({ interactive: typed !== null, line: () => typed ?? '' }),
      },
    );
  const stored = (): unknown =>
    JSON.parse(
      fs.existsSync(path.join(paths.config, 'settings.json'))
        ? fs.readFileSync(path.join(paths.config, 'settings.json'), 'utf8')
        : 'null',
    );
  const before = () => (fs.existsSync(paths.state) ? fs.readdirSync(paths.state) : []);
  return {
    run,
    parts,
    lines,
    complaints,
    stored,
    before,
    directory,
    exposed,
    paths,
    tokens: () => openTokens(scopes, parts()),
  };
}

const command = {
  id: 'backup',
  name: 'Backup',
  command: path.join(scratch, 'backup.sh'),
  workingDir: '/srv',
  arguments: ['--now', 'a b'],
};

/** As viper writes it: its own keys in lower case, those in lists unchanged. */
const five = {
  'system-bridge/v5/settings.json': JSON.stringify({
    autostart: true,
    commands: { allowlist: [command] },
    hotkeys: [{ name: 'x', key: 'ctrl+x' }],
    loglevel: 'DEBUG',
    media: { directories: [{ name: 'Films', path: films }] },
  }),
  'system-bridge/v5/token': `${token}\n`,
};

const granted = ['read', 'files', 'media', 'notify', 'control', 'input', 'power', 'command'];

describe('the import from System Bridge', () => {
  test('imports everything, and the token is valid', async () => {
    const machine = home(five);
    await machine.run({ yes: true }, null, { SYSTEM_BRIDGE_PORT: '9270' });
    expect(machine.stored()).toEqual({
      version: 1,
      autostart: true,
      server: { port: 9270 },
      commands: { allowlist: [command] },
      media: { directories: [{ name: 'Films', path: films }] },
    });
    expect(machine.tokens().find(token)).toMatchObject({ name: 'System Bridge', scopes: granted });
    expect(machine.lines[0]).toStartWith('System Bridge 5 was found in ');
    expect(machine.lines.join('\n')).not.toContain(token);
    expect(machine.complaints).toEqual([]);
  });

  test.each([0o644, 0o640, 0o604])(
    'a token that other users can read (%o) is not imported; the rest is',
    async (mode) => {
      const machine = home(five);
      const file = path.join(machine.directory, '.local/share/system-bridge/v5/token');
      fs.chmodSync(file, mode);
      await machine.run({ yes: true });
      expect(machine.tokens().find(token)).toBeNull();
      expect(machine.stored()).toMatchObject({ autostart: true });
      const text = machine.lines.join('\n');
      expect(text).toContain(`not taken: token: other users can read it in ${file}`);
      expect(text).not.toContain('keeps working with the token');
      fs.chmodSync(file, 0o600);
      await machine.run({ yes: true });
      expect(machine.tokens().find(token)?.name).toBe('System Bridge');
    },
  );

  test('older generations are not searched for', async () => {
    const machine = home({ 'systembridge/settings.json': JSON.stringify({ api: { token }, autostart: true }) });
    await expect(machine.run({ yes: true })).rejects.toThrow('No settings of System Bridge 5 were found');
    expect(machine.stored()).toBeNull();
  });

  test.each([{}, { json: true }])('nothing is changed without consent (%j)', async (flags) => {
    const machine = home(five);
    await machine.run(flags);
    expect(machine.stored()).toBeNull();
    expect(machine.before()).toEqual([]);
    const text = machine.lines.join('\n');
    expect(text).not.toContain(token);
    expect(text).toContain('Films');
  });

  test('a typed yes is enough, anything else is not', async () => {
    const machine = home(five);
    await machine.run({}, 'no');
    await machine.run({}, '');
    expect(machine.stored()).toBeNull();
    await machine.run({}, 'yes');
    expect(machine.tokens().find(token)?.name).toBe('System Bridge');
  });

  test('every argument and the working directory are shown in quotes, on one line', async () => {
    const program = path.join(scratch, 'backup.sh');
    const allowlist = [{ ...command, id: 'a\n  + start at login', arguments: ['a b', 'c\n  + token', '\u202ed'] }];
    const machine = home({ 'system-bridge/v5/settings.json': JSON.stringify({ commands: { allowlist } }) });
    await machine.run({});
    const shown = String.raw`"a b" "c\n \u{20}+ token" "\u{202e}d" in "/srv"`;
    expect(machine.lines).toContain(String.raw`  + command "a\n \u{20}+ start at login": "${program}" ${shown}`);
  });

  test('a second import has nothing to do', async () => {
    const machine = home(five);
    await machine.run({ yes: true });
    machine.lines.length = 0;
    await machine.run({ yes: true });
    expect(machine.lines.slice(1)).toEqual([
      '  - not taken: token: present already, as "System Bridge"',
      'There is nothing to take over',
    ]);
  });

  test('existing settings stay, and conflicts are named; the old settings are kept', async () => {
    const own = {
      server: { port: 9999 },
      media: { directories: [{ name: 'Films', path: '/elsewhere' }] },
      commands: { allowlist: [{ ...command, command: '/bin/true' }] },
    };
    const machine = home(
      { 'system-bridge/v5/settings.json': five['system-bridge/v5/settings.json'] },
      JSON.stringify(own),
    );
    await machine.run({ yes: true }, null, { SYSTEM_BRIDGE_PORT: '9300' });
    expect(machine.stored()).toEqual({ version: 1, ...own, autostart: true });
    expect(machine.lines.filter((line) => line.includes('not taken'))).toEqual([
      '  - not taken: token: missing, or not readable',
      '  - not taken: port 9300: this Hostler is configured for port 9999',
      `  - not taken: directory "Films": "${films}": another directory has this name here`,
      expect.stringContaining('another one has this id here'),
    ]);
    const backup = path.join(machine.paths.config, 'settings.json.before-import');
    expect(JSON.parse(fs.readFileSync(backup, 'utf8'))).toEqual(own);
  });

  test.each<[string, object | string, string]>([
    ['a directory that is not there', { media: { directories: [{ name: 'x', path: '/nowhere' }] } }, 'does not exist'],
    ['a relative directory', { media: { directories: [{ name: 'x', path: 'films' }] } }, 'not an absolute path'],
    [
      'a directory that leaves itself',
      { media: { directories: [{ name: 'x', path: `${films}/../..` }] } },
      'not an absolute path',
    ],
    [
      'a command by its name alone',
      { commands: { allowlist: [{ ...command, command: 'sh' }] } },
      'not an absolute path',
    ],
    ['a short token', 'secret', 'it must have 16'],
    ['a token with a line end', `${token}\nx`, 'it must have 16'],
  ])('%s is dropped, with a message', async (_what, given, reason) => {
    const machine = home(
      typeof given === 'string'
        ? { 'system-bridge/v5/token': given }
        : { 'system-bridge/v5/settings.json': JSON.stringify(given) },
    );
    await machine.run({ yes: true });
    expect(machine.lines.join('\n')).toContain(reason);
    expect(machine.lines.at(-1)).toBe('There is nothing to take over');
    expect(machine.stored()).toBeNull();
  });

  test.each<[string, Parameters<typeof home>[0]]>([
    ['what is not JSON', { 'system-bridge/v5/settings.json': '{' }],
    ['a list', { 'system-bridge/v5/settings.json': '[]' }],
    ['far too much', { 'system-bridge/v5/settings.json': ' '.repeat(5 * 1024 * 1024) }],
  ])('%s is not used, with a message', async (_what, files) => {
    const machine = home(files);
    await expect(machine.run({ yes: true })).rejects.toThrow('No settings of System Bridge 5 were found');
    expect(machine.complaints).toEqual([expect.stringMatching(/^System Bridge is not used: /)]);
  });

  test('only invalid values are dropped', async () => {
    const odd = {
      autostart: 'yes',
      media: { directories: [null, { name: 5 }, { name: 'Films', path: films }, { name: 'y'.repeat(300), path: '/' }] },
      commands: { allowlist: [{ ...command, arguments: ['a', 7] }, { ...command, workingDir: {} }, 'all'] },
      ['__proto__']: { autostart: true },
    };
    const machine = home({
      'system-bridge/v5/settings.json': JSON.stringify(odd),
      'system-bridge/v5/token': token,
    });
    await machine.run({ yes: true });
    expect(machine.stored()).toEqual({ version: 1, media: { directories: [{ name: 'Films', path: films }] } });
  });

  test('files that others could have written are not used', async () => {
    const machine = home(five);
    const file = path.join(machine.directory, '.local/share/system-bridge/v5/settings.json');
    machine.exposed.set(file, { problem: 'it belongs to mallory', fix: 'chown' });
    await expect(machine.run({ yes: true })).rejects.toThrow('No settings of System Bridge 5 were found');
    expect(machine.complaints.join()).toContain('others could have written');
    expect(machine.stored()).toBeNull();
  });

  test('its own files stay unchanged', async () => {
    const machine = home(five);
    const all = () =>
      fs
        .readdirSync(path.join(machine.directory, '.local'), { recursive: true, encoding: 'utf8' })
        .sort()
        .map((name) => {
          const file = path.join(machine.directory, '.local', name);
          return [name, fs.statSync(file).isFile() ? fs.readFileSync(file, 'base64') : null];
        });
    const before = all();
    await machine.run({ yes: true });
    expect(all()).toEqual(before);
  });
});

test('without a System Bridge, the searched places are named', async () => {
  const machine = home();
  await expect(machine.run({})).rejects.toThrow(path.join('.local', 'share', 'system-bridge', 'v5'));
});

test('System Bridge is searched at the places of Windows and at relocated ones', () => {
  const at = (variables: Record<string, string>) =>
    windowsBridgePlaces(fakeHost({ environment: { home: 'C:\\Users\\ada', variables } })).map(
      ({ directory }) => directory,
    );
  expect(at({ LOCALAPPDATA: 'D:\\Local' })).toEqual(['D:\\Local\\system-bridge\\v5']);
  expect(at({ SYSTEM_BRIDGE_CONFIG_DIR: 'E:\\bridge' })[0]).toBe('E:\\bridge');
  expect(at({})).toEqual(['C:\\Users\\ada\\AppData\\Local\\system-bridge\\v5']);
  const linux = linuxBridgePlaces(
    fakeHost({
      environment: { home: '/home/ada', variables: { XDG_DATA_HOME: '/data', SYSTEM_BRIDGE_CONFIG_DIR: 'x' } },
      files: machineFiles({}),
      storage: memoryStorage(),
      paths: { config: '/c', state: '/s', runtime: null },
    }),
  );
  expect(linux.map(({ directory }) => directory)).toContain('/data/system-bridge/v5');
  expect(linux.map(({ directory }) => directory)).not.toContain('x');
});

describe('the identifier by which Home Assistant knows the entities', () => {
  const id = '0123456789abcdef0123456789abcdef';
  const dashed = '01234567-89ab-cdef-0123-456789abcdef';
  const kept = '7d0c2a4e-51f3-4b8a-9d5e-2f6b8c1a0e93';
  const board = '4c4c4544-0042-3510-8052-b9c04f4e4632';

  test.each<[string, Record<string, string>, Record<string, string>, string | null]>([
    ['the machine id', { '/etc/machine-id': `${id}\n` }, {}, dashed],
    [
      'that of the board, where it can be read',
      { '/etc/machine-id': `${id}\n`, '/sys/class/dmi/id/product_uuid': `${board.toUpperCase()}\n` },
      {},
      board,
    ],
    [
      'its own, where the maker left a default',
      { '/sys/class/dmi/id/product_uuid': '03000200-0400-0500-0006-000700080009\n' },
      { 'system-bridge/v5/uuid': kept },
      kept,
    ],
    ['unknown, where nothing says it', {}, { 'system-bridge/v5/uuid': '../../x' }, null],
  ])('is %s, and does not change', async (_what, machine, files, expected) => {
    const { run, lines, parts } = home({ ...five, ...files }, undefined, machine);
    await run({ yes: true });
    const own = parts();
    if (expected === null) expect(lines.join()).not.toContain('identifier');
    else {
      expect(lines.join()).toContain(`identifier ${expected}`);
      expect(lines.join()).toContain('which the network then sees');
      expect(machineUuid(own, sha256)).toEqual({ uuid: expected, stable: true });
    }
    lines.length = 0;
    await run({ yes: true });
    expect(lines.at(-1)).toBe('There is nothing to take over');
  });

  test('is not changed if MQTT already uses another identifier', async () => {
    const { run, lines, before } = home(five, '{"mqtt": {"url": "mqtt://broker.example"}}', { '/etc/machine-id': id });
    await run({ yes: true });
    expect(lines.join()).toContain('MQTT already uses another identifier');
    expect(before()).not.toContain('machine.json');
  });
});
