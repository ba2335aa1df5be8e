// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readFwupd } from '../../../src/features/updates/linux/fwupd.ts';
import { createPackageState } from '../../../src/features/updates/linux/package-state.ts';
import { createBuses } from '../../../src/host/linux/dbus/buses.ts';
import { createLinuxEnvironment } from '../../../src/host/linux/linux-environment.ts';
import { createRunner } from '../../../src/host/processes/run.ts';
import { createPrivateBus } from '../harness/bus.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { startHostler, until } from '../harness/service.ts';

setDefaultTimeout(300_000);

const clock = {
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The package managers of this machine, or of a directory that represents one. */
const packagesOf = (roots: { all?: string }, home: string) =>
  createPackageState({ roots, home, uid: process.getuid?.() ?? null, run: createRunner().run }, clock);

/** The result of a manager in such a directory. The query must leave no trace that would trigger another one. */
async function stateOf(root: string, name: string) {
  const packages = packagesOf({ all: root }, '/home/tester');
  const before = packages.signature();
  const managers = await packages.scan();
  expect(packages.signature()).toBe(before);
  return managers.find((each) => each.name === name);
}

const run = promisify(execFile);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function write(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

let root = '';
beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler updates-')));
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

type Offer = [name: string, version: string, architecture?: string];

describe.skipIf(!needs('apt', 'apt-get'))('updates of apt beside apt itself', () => {
  const native = () => execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim();
  const other = () => (native() === 'amd64' ? 'i386' : 'amd64');

  /** A private archive on this machine, unsigned. */
  function publish(repository: string, suite: string, facts: string, offers: readonly Offer[]): void {
    const lists = new Map<string, string>();
    for (const architecture of [native(), other()]) {
      const mine = offers.filter(([, , own = native()]) => own === architecture || own === 'all');
      lists.set(
        `main/binary-${architecture}/Packages`,
        mine
          .map(
            ([name, version, own = native()]) =>
              `Package: ${name}\nVersion: ${version}\nArchitecture: ${own}\n${own === 'all' ? '' : 'Multi-Arch: same\n'}Maintainer: A <a@b>\n${name === 'phased' ? 'Phased-Update-Percentage: 0\n' : ''}Filename: pool/${name}.deb\nSize: 1\nSHA256: ${sha256(name + version)}\nDescription: it\n`,
          )
          .join('\n'),
      );
    }
    const place = path.join(repository, 'dists', suite);
    for (const [name, text] of lists) write(path.join(place, name), text);
    const sums = [...lists].map(([name, text]) => ` ${sha256(text)} ${Buffer.byteLength(text)} ${name}\n`).join('');
    const about = `Suite: ${suite}\nCodename: ${suite}\nArchitectures: ${native()} ${other()}\nComponents: main\n${facts}`;
    write(path.join(place, 'Release'), `${about}Date: ${new Date().toUTCString()}\nSHA256:\n${sums}`);
  }

  const options = (machine: string) => [
    '-o',
    `Dir=${machine}`,
    '-o',
    `Dir::State::status=${machine}/var/lib/dpkg/status`,
    '-o',
    `APT::Architecture=${native()}`,
    '-o',
    `APT::Architectures::=${native()}`,
    '-o',
    `APT::Architectures::=${other()}`,
    '-o',
    'APT::Sandbox::User=root',
    '-o',
    'Acquire::Languages=none',
    '-o',
    'Dir::Bin::methods=/usr/lib/apt/methods',
    '-o',
    `Dir::Log=${machine}/log`,
  ];
  const environment = { ...process.env, LC_ALL: 'C' };

  /** The list of another front end than the one Hostler calls, without held and phased packages, which it also lists. */
  function upgradable(machine: string, held: readonly string[] = ['held', 'phased']): string[] {
    const text = execFileSync('apt', [...options(machine), 'list', '--upgradable'], {
      encoding: 'utf8',
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...text.matchAll(/^([^/\s]+)\/\S+ (\S+) (\S+) \[upgradable from: (\S+)\]$/gm)]
      .filter(([, name = '']) => !held.includes(name))
      .map(([, name, candidate, architecture, current]) => {
        const isForeign = architecture !== native() && architecture !== 'all';
        return `${name}${isForeign ? `:${architecture}` : ''} ${current} ${candidate}`;
      })
      .sort();
  }

  const installed: [name: string, version: string, architecture?: string | undefined, status?: string][] = [
    ['dpkg', '1.21.22'],
    ['plain', '1.0-1'],
    ['same', '2.0'],
    ['secure', '1.0-1'],
    ['secure-then-more', '1.0-1'],
    ['held', '1.0', undefined, 'hold ok installed'],
    ['removed', '1.0', undefined, 'deinstall ok config-files'],
    ['half', '1.0', undefined, 'install ok half-configured'],
    ['shared', '1.0', 'all'],
    ['becomes-native', '1.0', 'all'],
    ['both', '1.0'],
    ['both', '1.0', other()],
    ['newer-here', '9:1.0'],
    ['from-backports', '2.0~bpo1'],
    ['stays', '1.0'],
    ['from-experimental', '1.0~exp1'],
    ['pinned-down', '1.0'],
    ['pinned-back', '2.0'],
    ['tilde', '1.0'],
    ['binary-rebuild', '1.0-1+b1'],
    ['phased', '1.0'],
  ];

  const archives: [suite: string, facts: string, offers: Offer[]][] = [
    [
      'stable',
      'Origin: Test\nLabel: Test\nVersion: 12\n',
      [
        ...([
          'dpkg 1.21.22',
          'plain 1.0-2',
          'same 2.0',
          'secure 1.0-1',
          'held 2.0',
          'removed 2.0',
          'half 1.1',
        ] as const),
        ...([
          'becomes-native 1.1',
          'both 1.1',
          'newer-here 8:9',
          'stays 1.0',
          'pinned-down 2.0',
          'pinned-back 1.0',
        ] as const),
        ...(['tilde 1.0~rc1', 'binary-rebuild 1.0-1+b10', 'secure-then-more 1.0-3', 'never-installed 1'] as const),
        ...(['phased 1.1'] as const),
      ].map((text): Offer => [text.split(' ')[0] ?? '', text.split(' ')[1] ?? '']),
    ],
    [
      'stable-security',
      'Origin: Test\nLabel: Debian-Security\n',
      [
        ['secure', '1.0-1+u1'],
        ['secure-then-more', '1.0-2'],
      ],
    ],
    [
      'stable-backports',
      'Origin: Test\nLabel: Backports\nNotAutomatic: yes\nButAutomaticUpgrades: yes\n',
      [
        ['from-backports', '2.0~bpo2'],
        ['stays', '9.0~bpo1'],
      ],
    ],
    [
      'experimental',
      'Origin: Test\nLabel: Exp\nNotAutomatic: yes\n',
      [
        ['from-experimental', '1.0~exp2'],
        ['plain', '99'],
      ],
    ],
  ];

  function build(name: string, scheme: string): { machine: string; refresh(): void } {
    const machine = path.join(root, name);
    const repository = path.join(machine, 'archive');
    for (const [suite, facts, offers] of archives) {
      const more: Offer[] =
        suite === 'stable'
          ? [
              ['both', '1.1', other()],
              ['shared', '1.1', 'all'],
            ]
          : [];
      publish(repository, suite, facts, [...offers, ...more]);
    }
    const stanza = ([
      own,
      version,
      architecture = native(),
      status = 'install ok installed',
    ]: (typeof installed)[number]) =>
      `Package: ${own}\nStatus: ${status}\nMaintainer: A <a@b>\nArchitecture: ${architecture}\nMulti-Arch: same\nVersion: ${version}\nDescription: it\n`;
    const order = installed.map((each) =>
      each[2] === 'all' ? stanza(each).replace('Multi-Arch: same\n', '') : stanza(each),
    );
    write(path.join(machine, 'var/lib/dpkg/status'), `${order.join('\n')}\n`);
    write(path.join(machine, 'var/lib/dpkg/arch'), `${native()}\n${other()}\n`);
    // apt decides by it whether an update that is phased in is for this machine.
    write(path.join(machine, 'etc/machine-id'), 'b08dfa6083e7567a1921a715000001fb\n');
    const address = `${scheme}:${repository.replaceAll(' ', '%20')}`;
    const sources = archives.map(([suite]) => `deb [trusted=yes] ${address} ${suite} main\n`).join('');
    write(path.join(machine, 'etc/apt/sources.list'), sources);
    write(
      path.join(machine, 'etc/apt/preferences.d/pins'),
      'Package: pinned-down\nPin: version 2.*\nPin-Priority: -1\n\nPackage: pinned-back\nPin: release a=stable\nPin-Priority: 1001\n',
    );
    for (const directory of [
      'var/lib/apt/lists/partial',
      'var/cache/apt/archives/partial',
      'etc/apt/apt.conf.d',
      'log',
    ])
      fs.mkdirSync(path.join(machine, directory), { recursive: true });
    const packing = ['-o', `Acquire::GzipIndexes=${scheme === 'copy'}`];
    return {
      machine,
      refresh: () =>
        void execFileSync('apt-get', [...options(machine), ...packing, 'update'], { env: environment, stdio: 'pipe' }),
    };
  }

  test.each([
    ['lists that are links to files', 'file', /_Packages$/],
    ['lists that apt keeps packed', 'copy', /_Packages\.lz4$/],
  ])('%s', async (_what, scheme, expected) => {
    const { machine, refresh } = build(`apt ${scheme}`, scheme);
    refresh();
    const lists = fs.readdirSync(path.join(machine, 'var/lib/apt/lists')).filter((name) => name.includes('_Packages'));
    expect(lists.length).toBeGreaterThanOrEqual(4);
    expect(lists.filter((name) => !expected.test(name))).toEqual([]);
    const theirs = upgradable(machine);
    expect(upgradable(machine, [])).toEqual(expect.arrayContaining(['held 1.0 2.0', 'phased 1.0 1.1']));
    expect(theirs.length).toBeGreaterThan(8);
    const apt = await stateOf(machine, 'apt');
    expect(apt?.packages.map(({ name, current, candidate }) => `${name} ${current} ${candidate}`).sort()).toEqual(
      theirs,
    );
    expect(apt).toMatchObject({ updates: theirs.length, security: 2, problem: null });
    expect(apt?.packages.filter(({ security }) => security).map(({ name }) => name)).toEqual([
      'secure',
      'secure-then-more',
    ]);
    expect(Math.abs(Date.now() - (apt?.checkedAtMs ?? 0))).toBeLessThan(3_600_000);
  });

  test('a package with broken dependencies does not hide the updates of the others', async () => {
    const { machine, refresh } = build('apt broken', 'file');
    refresh();
    const healthy = await stateOf(machine, 'apt');
    fs.appendFileSync(
      path.join(machine, 'var/lib/dpkg/status'),
      `\nPackage: broken\nStatus: install ok installed\nMaintainer: A <a@b>\nArchitecture: ${native()}\nVersion: 1\nDepends: nowhere\nDescription: it\n`,
    );
    expect(healthy?.updates).toBeGreaterThan(8);
    expect((await stateOf(machine, 'apt'))?.packages).toEqual(healthy?.packages ?? []);
  });

  test('the updates of the real machine match apt', async () => {
    const text = execFileSync('apt', ['list', '--upgradable'], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const held = execFileSync('apt-mark', ['showhold'], { encoding: 'utf8' }).split('\n');
    const theirs = [...text.matchAll(/^([^/\s]+)\/\S+ (\S+) \S+ \[upgradable from: /gm)]
      .filter(([, name = '']) => !held.includes(name))
      .map(([, name, version]) => `${name} ${version}`)
      .sort();
    const managers = await packagesOf({}, os.homedir()).scan();
    const apt = managers.find(({ name }) => name === 'apt');
    expect(apt?.updates).toBe(theirs.length);
    if (theirs.length <= 250)
      expect(apt?.packages.map(({ name, candidate }) => `${name.split(':')[0]} ${candidate}`).sort()).toEqual(theirs);
  });

  test('the service lists updates, again after the lists were refreshed and after dpkg ran', async () => {
    const { machine, refresh } = build('apt service', 'copy');
    refresh();
    await using hostler = await startHostler({
      env: {
        HOSTLER_ROOT: machine,
        HOSTLER_PROC: '/proc',
        HOSTLER_SYS: '/sys',
        HOSTLER_DEV: '/dev',
        HOSTLER_ETC: `${machine}/etc`,
      },
    });
    const count = async () => {
      const { updates } = (await (await hostler.get('/api/data/updates')).json()) as { updates: number | null };
      return updates;
    };
    const before = await until(count);
    expect(before).toBe(upgradable(machine).length);
    publish(path.join(machine, 'archive'), 'stable-security', 'Origin: Test\nLabel: Debian-Security\n', [
      ['secure', '1.0-1+u2'],
      ['secure-then-more', '1.0-2'],
      ['same', '2.0+u1'],
    ]);
    refresh();
    await until(async () => (await count()) === before + 1 || null);
    const status = path.join(machine, 'var/lib/dpkg/status');
    const text = fs.readFileSync(status, 'utf8').replace('Version: 1.0-1\n', 'Version: 1.0-2\n');
    fs.writeFileSync(`${status}-new`, text);
    fs.renameSync(`${status}-new`, status);
    await until(async () => (await count()) === before || null);
    const metrics = await (await hostler.get('/metrics')).text();
    expect(metrics).toContain('apt_upgrades_pending{origin="Test:stable-security/stable-security"');
    expect(metrics).toMatch(/^node_reboot_required [01]$/m);
  });
});

describe.skipIf(!needs('pacman', 'vercmp', 'tar'))('updates of pacman beside pacman itself', () => {
  const versions = [
    '1.0',
    '1.0.1',
    '1.0a',
    '1.0beta',
    '1.0.a',
    '1.00',
    '6.7.4.arch1',
    '6.7.10.arch1',
    '5.2.026',
    '5.2.26',
    '1.0..1',
    '2.0rc1',
    '2.0',
    '14.1.1+r1+g43b730b9134',
    '14.1.1+r2+g1',
    '1.0_1',
    '1.0_2',
    'r100.abc',
    'r99.abc',
    '1:0.1',
    '0:1.0',
  ];

  test('every pair of versions is ordered as pacman orders it, and the first repository counts', async () => {
    const machine = path.join(root, 'pacman');
    const pairs = versions.flatMap((a) => versions.map((b): [string, string] => [`${a}-1`, `${b}-${a === b ? 2 : 1}`]));
    const local = path.join(machine, 'var/lib/pacman/local');
    const desc = (name: string, version: string) =>
      `%NAME%\n${name}\n\n%VERSION%\n${version}\n\n%ARCH%\nany\n\n%FILENAME%\n${name}.pkg.tar\n\n%CSIZE%\n1\n\n`;
    write(path.join(local, 'ALPM_DB_VERSION'), '9\n');
    const entries: Record<string, [string, string][]> = { core: [], extra: [] };
    for (const [at, [have, offered]] of pairs.entries()) {
      const name = `p${String(at).padStart(4, '0')}`;
      write(path.join(local, `${name}-${have}`, 'desc'), desc(name, have));
      entries.core?.push([name, offered]);
      // Later repositories are ignored.
      entries.extra?.push([name, '999:9-9']);
    }
    for (const [name, list] of Object.entries(entries)) {
      const tree = path.join(machine, `tree-${name}`);
      for (const [own, version] of list) write(path.join(tree, `${own}-${version}`, 'desc'), desc(own, version));
      const database = path.join(machine, 'var/lib/pacman/sync', `${name}.db`);
      fs.mkdirSync(path.dirname(database), { recursive: true });
      execFileSync('tar', ['-C', tree, name === 'core' ? '-czf' : '-cf', database, ...fs.readdirSync(tree)]);
    }
    write(
      path.join(machine, 'etc/pacman.conf'),
      '[options]\nArchitecture = auto\nSigLevel = Never\nIgnorePkg = p0003\n[core]\nServer = file:///none\n[extra]\nServer = file:///none\n',
    );
    // vercmp is pacman's own order of versions, without its databases.
    const isNewer = (have: string, offered: string) =>
      Number(execFileSync('vercmp', [offered, have], { encoding: 'utf8' })) > 0;
    const theirs = pairs.flatMap(([have, offered], at) => {
      const name = `p${String(at).padStart(4, '0')}`;
      return name !== 'p0003' && isNewer(have, offered) ? `${name} ${have} ${offered}` : [];
    });
    expect(theirs.length).toBeGreaterThan(100);
    const ours = await stateOf(machine, 'pacman');
    expect(ours).toMatchObject({ updates: theirs.length, security: null, problem: null });
    expect(ours?.origins).toEqual([{ origin: 'core', architecture: '', updates: theirs.length }]);
    const listed = ours?.packages.map(({ name, current, candidate }) => `${name} ${current} ${candidate}`) ?? [];
    expect(listed).toEqual(theirs.sort().slice(0, listed.length));
  });
});

/** For an ordinary user flatpak asks the system bus whether it may install anything. */
function mayInstallFlatpaks(): boolean {
  if (process.getuid?.() === 0 || fs.existsSync('/run/dbus/system_bus_socket')) return true;
  console.warn('skipped: flatpak installs nothing for an ordinary user where no system bus runs');
  return false;
}

describe.skipIf(!needs('flatpak') || !mayInstallFlatpaks())('updates of flatpak beside flatpak itself', () => {
  test('are the refs that a remote offers and that are not deployed', async () => {
    const machine = path.join(root, 'flatpak');
    const home = path.join(machine, 'home/tester');
    const repository = path.join(machine, 'repository');
    fs.mkdirSync(home, { recursive: true });
    const environment = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: machine,
      FLATPAK_SYSTEM_DIR: path.join(machine, 'var/lib/flatpak'),
    };
    const flatpak = async (...args: string[]) =>
      (await run(findProgram('flatpak') ?? 'flatpak', args, { env: environment })).stdout;
    const architecture = (await flatpak('--default-arch')).trim();
    const publish = async (version: string, name: string, isApp: boolean) => {
      const tree = path.join(machine, `${name} ${version}`);
      const platform = `org.example.Platform/${architecture}/1`;
      const kind = isApp
        ? `[Application]\nname=${name}\nruntime=${platform}\nsdk=${platform}\n`
        : `[Runtime]\nname=${name}\n`;
      write(path.join(tree, 'metadata'), kind);
      write(path.join(tree, 'files/version'), version);
      write(path.join(tree, isApp ? 'export/.keep' : 'usr/version'), version);
      const how = isApp ? [] : ['--runtime'];
      await flatpak('build-export', '--no-update-summary', ...how, repository, tree, '1');
      await flatpak('build-update-repo', repository);
    };
    await publish('1', 'org.example.Platform', false);
    await publish('1', 'org.example.One', true);
    await publish('1', 'org.example.Two', true);
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        const file = Bun.file(path.join(repository, decodeURIComponent(new URL(request.url).pathname)));
        return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 });
      },
    });
    try {
      await flatpak('--user', 'remote-add', '--no-gpg-verify', 'there', `http://127.0.0.1:${server.port}/`);
      for (const name of ['org.example.One', 'org.example.Two'])
        await flatpak('--user', 'install', '--noninteractive', '-y', 'there', name);
      const look = () => stateOf(machine, 'flatpak');
      expect(await look()).toMatchObject({ updates: 0, security: null, problem: null });
      await publish('2', 'org.example.One', true);
      await publish('2', 'org.example.Platform', false);
      // flatpak has not contacted the remote yet, and Hostler never does.
      expect((await look())?.updates).toBe(0);
      await flatpak('--user', 'remote-ls', 'there');
      const published = (ref: string) => fs.readFileSync(path.join(repository, 'refs/heads', ref), 'utf8').slice(0, 12);
      const named = (await look())?.packages.map(({ name, candidate }) => `${name} ${candidate}`) ?? [];
      expect(named.sort()).toEqual([
        `org.example.One ${published(`app/org.example.One/${architecture}/1`)}`,
        `org.example.Platform ${published(`runtime/org.example.Platform/${architecture}/1`)}`,
      ]);
      await flatpak('--user', 'update', '--noninteractive', '-y');
      expect((await look())?.updates).toBe(0);
    } finally {
      await server.stop(true);
    }
  });
});

const fwupd = '/usr/libexec/fwupd/fwupd';
const polkit = '/usr/lib/polkit-1/polkitd';

// Its daemon requires root, and has its own devices for tests.
describe.skipIf(process.getuid?.() !== 0 || !needs(fwupd, polkit, 'fwupdmgr', 'dbus-daemon'))(
  'updates of firmware',
  () => {
    test('match fwupdmgr', async () => {
      const place = path.join(root, 'fwupd');
      const metadata = path.join(place, 'tests.xml');
      write(path.join(place, 'etc/fwupd/fwupd.conf'), '[fwupd]\nTestDevices=true\nOnlyTrusted=false\n');
      fs.chmodSync(path.join(place, 'etc/fwupd/fwupd.conf'), 0o640);
      write(
        path.join(place, 'etc/fwupd/remotes.d/tests.conf'),
        `[fwupd Remote]\nEnabled=true\nTitle=Tests\nKeyring=none\nMetadataURI=file://${metadata}\n`,
      );
      write(metadata, webcamFirmware);
      for (const directory of ['var', 'cache']) fs.mkdirSync(path.join(place, directory));
      const bus = createPrivateBus({ forEverybody: true });
      await bus.start();
      const variables = {
        PATH: process.env.PATH ?? '',
        LC_ALL: 'C.UTF-8',
        DBUS_SYSTEM_BUS_ADDRESS: bus.address,
        STATE_DIRECTORY: path.join(place, 'var'),
        CACHE_DIRECTORY: path.join(place, 'cache'),
        CONFIGURATION_DIRECTORY: path.join(place, 'etc/fwupd'),
        FWUPD_SYSCONFDIR: path.join(place, 'etc'),
      };
      const daemons = [
        spawn(polkit, ['--no-debug'], { env: variables, stdio: 'ignore' }),
        spawn(fwupd, [], { env: variables, stdio: 'ignore' }),
      ];
      const buses = createBuses(createLinuxEnvironment(variables));
      try {
        const ours = await until(() => readFwupd(buses.system));
        const { stdout } = await run(
          'fwupdmgr',
          ['get-updates', '--json', '--no-unreported-check', '--no-metadata-check'],
          {
            env: variables,
          },
        );
        const theirs: { Devices: { Name: string; Version: string; Releases: { Version: string }[] }[] } =
          JSON.parse(stdout);
        expect(theirs.Devices.length).toBe(1);
        expect(ours?.packages).toEqual(
          theirs.Devices.map(({ Name, Version, Releases }) => ({
            name: Name,
            current: Version,
            candidate: Releases[0]?.Version ?? '',
            security: null,
          })),
        );
      } finally {
        buses.system.close();
        for (const daemon of daemons) daemon.kill('SIGKILL');
        await bus.remove();
      }
    });
  },
);

/** Newer firmware for the webcam that fwupd pretends to have. */
const webcamFirmware = `<?xml version="1.0" encoding="UTF-8"?>
<components origin="tests" version="0.9">
 <component type="firmware">
  <id>org.example.webcam.firmware</id>
  <name>Webcam</name>
  <provides><firmware type="flashed">b585990a-003e-5270-89d5-3705a17f9a43</firmware></provides>
  <custom><value key="LVFS::VersionFormat">triplet</value><value key="LVFS::UpdateProtocol">com.acme.test</value></custom>
  <releases>
   <release version="1.2.4" date="2026-01-01" urgency="high">
    <location>https://example.org/a.cab</location>
    <checksum filename="a.cab" target="container" type="sha1">2d9667c21056fe6876bf36ae2c04b4b55e932e3a</checksum>
    <description><p>Better.</p></description>
   </release>
  </releases>
 </component>
</components>
`;
