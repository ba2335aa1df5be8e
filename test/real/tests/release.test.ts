// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { NtExecutable } from 'resedit';
import { readAnnouncement } from '../../../src/features/system/system.announcement.ts';
import { built } from '../harness/boxed-service.ts';
import {
  architecture,
  debArchitecture,
  type MadePackages,
  makePackages,
  rpmArchitecture,
} from '../harness/packages.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { root } from '../harness/service.ts';

setDefaultTimeout(240_000);

const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
const stamp = { SOURCE_DATE_EPOCH: '1700000000' };

const asRoot = process.getuid?.() === 0 ? [] : ['unshare', '--map-root-user'];

/** In a user namespace, if this user is not root. */
function canBeRoot(): boolean {
  const [program, ...args] = [...asRoot, 'true'];
  if (spawnSync(program ?? 'true', args).status === 0) return true;
  console.warn('skipped: this system does not allow user namespaces');
  return false;
}

/** The packed program is a short script, for speed: the package does not depend on it. */
describe.skipIf(!needs('node', 'xz', 'makensis', 'wixl', 'msibuild'))('packages', () => {
  let scratch: string;
  let made: MadePackages;
  let publicKey: string;
  let program: string;
  const build = (only: string[], env: Record<string, string> = {}) => {
    const targets = only.map((target) => `hostler-${target}/hostler${target.startsWith('windows') ? '.exe' : ''}`);
    return makePackages(Object.fromEntries(targets.map((target) => [target, program])), { only, env });
  };
  const all = ['linux-x64', 'linux-arm64', 'windows-x64', 'windows-arm64'];
  let key: string;
  beforeAll(() => {
    scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-release-test-'));
    program = path.join(scratch, 'hostler');
    fs.writeFileSync(program, '#!/bin/sh\necho "hostler $*"\n', { mode: 0o755 });
    const pair = generateKeyPairSync('ed25519');
    key = path.join(scratch, 'key.pem');
    publicKey = path.join(scratch, 'public.pem');
    fs.writeFileSync(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    fs.writeFileSync(publicKey, pair.publicKey.export({ type: 'spki', format: 'pem' }));
    made = build(all, { ...stamp, HOSTLER_SIGNING_KEY: key });
  });
  afterAll(() => {
    made?.[Symbol.dispose]();
    fs.rmSync(scratch, { recursive: true, force: true });
  });

  const run = (...[name = '', ...args]: string[]) => {
    const { status, stdout, stderr } = spawnSync(findProgram(name) ?? name, args, { encoding: 'utf8', cwd: scratch });
    if (status !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  };
  const fresh = (name: string) => {
    const directory = path.join(scratch, name);
    fs.mkdirSync(directory, { recursive: true });
    return directory;
  };
  const deb = () => made.path(`hostler_${version}-1_${debArchitecture}.deb`);
  const rpm = () => made.path(`hostler-${version}-1.${rpmArchitecture}.rpm`);

  test('one command builds all packages, for both architectures', () => {
    expect(made.names).toEqual(
      [
        'SHA256SUMS',
        'SHA256SUMS.sig',
        'THIRD-PARTY-NOTICES',
        'hostler.cdx.json',
        'releases.json',
        ...['amd64', 'arm64'].map((name) => `hostler_${version}-1_${name}.deb`),
        ...['x86_64', 'aarch64'].flatMap((name) => [
          `hostler-${version}-1.${name}.rpm`,
          `hostler-${version}-1-${name}.pkg.tar.zst`,
        ]),
        ...['x64', 'arm64'].flatMap((name) => [
          `hostler-${version}-linux-${name}.tar.gz`,
          ...['.zip', '-setup.exe', '.msi'].map((ending) => `hostler-${version}-windows-${name}${ending}`),
        ]),
      ].sort(),
    );
  });

  test('two builds are the same bytes, in another directory, at another time and in another time zone', () => {
    using again = build(all, { ...stamp, HOSTLER_SIGNING_KEY: key, TZ: 'Asia/Kathmandu', LC_ALL: 'C', UMASK: '0' });
    for (const name of made.names)
      expect([name, fs.readFileSync(again.path(name)).equals(fs.readFileSync(made.path(name)))]).toEqual([name, true]);
  });

  test('the list of checksums is correct and signed; a changed one is refused', () => {
    const sums = fs.readFileSync(made.path('SHA256SUMS'));
    const listed = sums.toString().trim().split('\n');
    expect(listed).toHaveLength(made.names.length - 3);
    for (const line of listed) {
      const [sum = '', name = ''] = line.split('  ');
      expect(
        createHash('sha256')
          .update(fs.readFileSync(made.path(name)))
          .digest('hex'),
      ).toBe(sum);
    }
    const signature = fs.readFileSync(made.path('SHA256SUMS.sig'));
    const known = createPublicKey(fs.readFileSync(publicKey));
    expect(verify(null, sums, known, signature)).toBe(true);
    const tampered = Buffer.from(sums.toString().replace(/^./, (digit) => (digit === '0' ? '1' : '0')));
    expect(verify(null, tampered, known, signature)).toBe(false);
    const other = generateKeyPairSync('ed25519').publicKey;
    expect(verify(null, sums, other, signature)).toBe(false);
  });

  test('the update check accepts the signed release list, and no other key', async () => {
    const list = fs.readFileSync(made.path('releases.json'), 'utf8');
    const now = Number(stamp.SOURCE_DATE_EPOCH) * 1000;
    const rawKey = (known: KeyObject) => known.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
    const key = rawKey(createPublicKey(fs.readFileSync(publicKey)));
    expect(await readAnnouncement(list, key, now)).toMatchObject({ version, url: null });
    const other = rawKey(generateKeyPairSync('ed25519').publicKey);
    await expect(readAnnouncement(list, other, now)).rejects.toThrow('its signature is not by the key');
  });

  test.skipIf(!needs('openssl'))('the documented command verifies the signature', () => {
    const command = ['pkeyutl', '-verify', '-pubin', '-inkey', publicKey, '-rawin'];
    const files = ['-in', made.path('SHA256SUMS'), '-sigfile', made.path('SHA256SUMS.sig')];
    expect(run('openssl', ...command, ...files)).toContain('Signature Verified Successfully');
  });

  test('without a key the build reports that nothing is signed; another kind of key is refused', () => {
    using unsigned = build(['linux-x64'], { ...stamp, HOSTLER_SIGNING_KEY: '' });
    expect(unsigned.names).not.toContain('SHA256SUMS.sig');
    const rsa = path.join(scratch, 'rsa.pem');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    fs.writeFileSync(rsa, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect(() => build(['linux-x64'], { ...stamp, HOSTLER_SIGNING_KEY: rsa })).toThrow('is not an Ed25519 key');
  });

  test('the bill of materials and the notices name everything the program contains', () => {
    const bill = JSON.parse(fs.readFileSync(made.path('hostler.cdx.json'), 'utf8')) as {
      specVersion: string;
      components: { name: string; version: string; hashes?: unknown[]; licenses: unknown[] }[];
    };
    const names = bill.components.map(({ name }) => name);
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const others = Object.keys(dependencies).filter((name) => !name.startsWith('@hostler/'));
    for (const name of others) expect(names).toContain(name);
    expect(
      names.filter((name) => !/^(@[a-z-]+\/)?[a-z][a-z0-9-]+$/.test(name) || name.startsWith('@hostler/')),
    ).toEqual([]);
    expect(names).not.toContain('typescript');
    const notices = fs.readFileSync(made.path('THIRD-PARTY-NOTICES'), 'utf8');
    // Not toContain: a failure would print the text of every licence.
    const isNoticed = (text: string) => notices.includes(text);
    expect(bill.components.filter(({ name, version: its }) => !isNoticed(`\n${name} ${its} (`))).toEqual([]);
    expect(isNoticed('JavaScriptCore and WebKit')).toBe(true);
    expect(isNoticed('(unknown)')).toBe(false);
  });

  describe.skipIf(!needs('dpkg-deb', 'dpkg'))('.deb', () => {
    test('has its metadata, and all files in place, owned by root', () => {
      const info = run('dpkg-deb', '-I', deb());
      expect(info).toContain(`Version: ${version}-1`);
      expect(info).toContain(`Architecture: ${debArchitecture}`);
      const list = run('dpkg-deb', '-c', deb());
      for (const name of [
        '-rwxr-xr-x root/root .* ./usr/bin/hostler',
        './usr/lib/systemd/user/hostler.service',
        './usr/lib/systemd/system/hostler.service',
        './usr/lib/udev/rules.d/60-hostler.rules',
        './usr/share/man/man1/hostler.1.gz',
        './usr/share/bash-completion/completions/hostler',
        './usr/share/applications/hostler.desktop',
        './usr/share/icons/hicolor/scalable/apps/hostler.svg',
      ])
        expect(list).toMatch(new RegExp(`${name.replaceAll('.', '\\.').replace('\\.*', '.*')}$`, 'm'));
      expect(list.split('\n').filter((line) => line !== '' && !line.includes(' root/root '))).toEqual([]);
    });

    test('is installed into an empty root, removed and purged, and leaves nothing', () => {
      const into = fresh('debian-root');
      for (const place of ['var/lib/dpkg/updates', 'var/lib/dpkg/info'])
        fs.mkdirSync(path.join(into, place), { recursive: true });
      for (const name of ['status', 'available']) fs.writeFileSync(path.join(into, 'var/lib/dpkg', name), '');
      const flags = ['--force-not-root', '--force-script-chrootless', '--force-depends', '--force-architecture'];
      const dpkg = (...args: string[]) => run('dpkg', `--root=${into}`, '--log=/dev/null', ...flags, ...args);
      dpkg('--install', deb());
      expect(run(path.join(into, 'usr/bin/hostler'), 'works')).toBe('hostler works\n');
      expect(fs.existsSync(path.join(into, 'etc/systemd/system/multi-user.target.wants'))).toBe(false);
      fs.mkdirSync(path.join(into, 'var/lib/hostler'), { recursive: true });
      dpkg('--purge', 'hostler');
      const left = run('find', into, '-iname', '*hostler*', '-not', '-path', '*/var/lib/dpkg/*');
      expect(left).toBe('');
    });

    const lintian = (...args: string[]) =>
      run(
        'lintian',
        ...(process.getuid?.() === 0 ? ['--allow-root'] : []),
        '--fail-on',
        'error,warning',
        '--tag-display-limit',
        '0',
        ...args,
      );

    test.skipIf(!needs('lintian'))('lintian reports nothing', () => {
      expect(lintian(deb())).toBe('');
    });

    /** It inspects programs, and the short script has nothing to find. */
    test.skipIf(!needs('lintian') || !fs.existsSync(built))(
      'lintian reports nothing with the real program in it',
      () => {
        const target = `linux-${architecture}`;
        using real = makePackages(
          { [`hostler-${target}/hostler`]: built },
          { only: [target], format: 'deb', env: stamp },
        );
        // With full compression it would take minutes.
        const unpacked = ['--suppress-tags', 'uses-no-compression-for-data-tarball'];
        expect(lintian(...unpacked, real.path(`hostler_${version}-1_${debArchitecture}.deb`))).toBe('');
      },
    );
  });

  describe.skipIf(!needs('rpm'))('.rpm', () => {
    test('has its metadata, and its checksums are correct', () => {
      expect(run('rpm', '-qp', '--queryformat', '%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{LICENSE}', rpm())).toBe(
        `hostler ${version} 1 ${rpmArchitecture} MIT`,
      );
      expect(run('rpm', '-K', '--nosignature', rpm())).toContain('digests OK');
      expect(run('rpm', '-qpl', rpm())).toContain('/usr/lib/systemd/user/hostler.service\n');
      expect(run('rpm', '-qpR', rpm())).toContain('libc.so.6(GLIBC_2.17)(64bit)');
    });

    test('is refused when it was modified', () => {
      const bytes = fs.readFileSync(rpm());
      bytes[bytes.length - 100] = (bytes[bytes.length - 100] ?? 0) ^ 1;
      const changed = path.join(scratch, 'changed.rpm');
      fs.writeFileSync(changed, bytes);
      expect(() => run('rpm', '-K', '--nosignature', changed)).toThrow('NOT OK');
    });

    test('is installed into an empty root and removed again', () => {
      const into = fresh('rpm-root');
      const flags = ['--root', into, '--nodeps', '--noscripts', '--ignorearch'];
      run('rpm', ...flags, '--install', rpm());
      expect(run(path.join(into, 'usr/bin/hostler'), 'works')).toBe('hostler works\n');
      expect(run('rpm', ...flags.slice(0, 2), '--verify', '--nodeps', 'hostler')).toBe('');
      run('rpm', ...flags.slice(0, 4), '--erase', 'hostler');
      expect(run('find', path.join(into, 'usr'), '-type', 'f', '-iname', '*hostler*')).toBe('');
    });
  });

  describe.skipIf(!needs('tar', 'zstd'))('for Arch', () => {
    const archive = () => made.path(`hostler-${version}-1-${rpmArchitecture}.pkg.tar.zst`);
    test('begins with its metadata, and unpacks', () => {
      const list = run('tar', '--zstd', '-tf', archive()).split('\n');
      expect(list.slice(0, 3)).toEqual(['.INSTALL', '.MTREE', '.PKGINFO']);
      const into = fresh('arch-root');
      run('tar', '--zstd', '-xf', archive(), '-C', into);
      expect(fs.readFileSync(path.join(into, '.PKGINFO'), 'utf8')).toContain(`pkgver = ${version}-1\n`);
      expect(run(path.join(into, 'usr/bin/hostler'), 'works')).toBe('hostler works\n');
    });

    test.skipIf(!needs('pacman') || !canBeRoot())(
      'is installed by pacman into an empty root, verified, and removed',
      () => {
        const into = fresh('pacman-root');
        fs.mkdirSync(path.join(into, 'var/lib/pacman'), { recursive: true });
        const conf = path.join(scratch, 'pacman.conf');
        fs.writeFileSync(
          conf,
          `[options]\nArchitecture = ${rpmArchitecture}\nSigLevel = Never\nLocalFileSigLevel = Never\n`,
        );
        const flags = ['--config', conf, '--root', into, '--noconfirm', '--noscriptlet', '--logfile', '/dev/null'];
        // It works only for root, also on a private root directory.
        const pacman = (...args: string[]) => run(...asRoot, 'pacman', ...args);
        pacman('-U', ...flags, '-dd', archive());
        expect(pacman('-Qkk', '--config', conf, '--root', into, 'hostler')).toContain('0 altered files');
        pacman('-R', ...flags, 'hostler');
        expect(fs.existsSync(path.join(into, 'usr/bin/hostler'))).toBe(false);
      },
    );
  });

  test('the archive for other systems installs into a directory with spaces, and uninstalls', () => {
    const into = fresh('unpacked');
    run('tar', '-xzf', made.path(`hostler-${version}-linux-${architecture}.tar.gz`), '-C', into);
    const script = path.join(into, `hostler-${version}-linux-${architecture}`, 'install.sh');
    const prefix = path.join(scratch, 'my own place');
    expect(run(script, '--prefix', prefix)).toContain('hostler service install');
    expect(run(path.join(prefix, 'bin/hostler'), 'works')).toBe('hostler works\n');
    // The documents that messages of the program refer to.
    for (const page of ['docs/install.md', 'docs/examples/hostler.py', 'deploy/package/60-hostler.rules'])
      expect(fs.existsSync(path.join(prefix, 'share/doc/hostler', page))).toBe(true);
    run(script, '--prefix', prefix, '--remove');
    expect(run('find', prefix, '-iname', '*hostler*')).toBe('');
  });

  test.skipIf(!needs('python3'))('the zip for Windows is complete', () => {
    const archive = made.path(`hostler-${version}-windows-x64.zip`);
    expect(run('python3', '-m', 'zipfile', '-t', archive)).toContain('Done testing');
    const list = run('python3', '-m', 'zipfile', '-l', archive);
    for (const name of ['hostler.exe', 'LICENSE.txt', 'THIRD-PARTY-NOTICES', 'docs/tls.md'])
      expect(list).toContain(name);
    expect(list.match(/\.exe\b/g)).toHaveLength(1);
  });

  test.skipIf(!needs('desktop-file-validate'))('the desktop entry is valid', () => {
    expect(run('desktop-file-validate', path.join(root, 'deploy/package/hostler.desktop'))).toBe('');
  });

  test.skipIf(!needs('man'))('the man page has every command, and is well-formed', () => {
    const into = fresh('man');
    run('tar', '-xzf', made.path(`hostler-${version}-linux-${architecture}.tar.gz`), '-C', into);
    const page = path.join(into, `hostler-${version}-linux-${architecture}`, 'share/man/man1/hostler.1.gz');
    const shown = run('man', '--warnings', '-l', page);
    for (const command of ['hostler serve', 'hostler service install', 'hostler power lock', 'hostler data <module>'])
      expect(shown).toContain(command);
  });
});

const forWindows = ['makensis', 'wixl', 'msibuild'];
describe.skipIf(!needs('node', 'openssl', 'osslsigncode', 'python3', ...forWindows))('programs for Windows', () => {
  let scratch: string;
  beforeAll(() => {
    scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-code-signing-'));
    // The smallest program: the signature does not depend on it.
    const empty = NtExecutable.createEmpty(false, false).generate();
    fs.writeFileSync(at('empty.exe'), new Uint8Array(empty));
    const subject = ['-subj', '/CN=Hostler test', '-addext', 'extendedKeyUsage=codeSigning'];
    const kept = ['-keyout', at('key.pem'), '-out', at('certificate.pem'), '-passout', 'pass:a word'];
    run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-days', '3650', ...subject, ...kept]);
    fs.writeFileSync(at('password.txt'), 'a word');
  });
  afterAll(() => fs.rmSync(scratch, { recursive: true, force: true }));

  const at = (name: string) => path.join(scratch, name);
  const run = (program: string, args: string[]) =>
    spawnSync(program, args, { cwd: scratch, encoding: 'utf8', timeout: 120_000 });
  const signing = () => ({
    HOSTLER_CODE_SIGNING_CERTIFICATE: at('certificate.pem'),
    HOSTLER_CODE_SIGNING_KEY: at('key.pem'),
    HOSTLER_CODE_SIGNING_PASSWORD_FILE: at('password.txt'),
  });
  const build = (env: Record<string, string>) =>
    makePackages({ 'hostler-windows-x64/hostler.exe': at('empty.exe') }, { only: ['windows-x64'], env });
  const unpacked = (made: MadePackages, to: string) => {
    const [name = ''] = made.names.filter((file) => file.endsWith('.zip'));
    const { status, stderr } = run('python3', ['-m', 'zipfile', '-e', made.path(name), at(to)]);
    if (status !== 0) throw new Error(stderr);
    const all = fs.readdirSync(at(to), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.exe'));
    return all.sort().map((file) => path.join(at(to), file));
  };
  const verified = (file: string) => run('osslsigncode', ['verify', '-CAfile', at('certificate.pem'), '-in', file]);

  test('are signed with a certificate and its key, the same bytes each time', () => {
    // Signed while the certificate is valid.
    const env = { ...signing(), SOURCE_DATE_EPOCH: String(Math.floor(Date.now() / 1000)) };
    using made = build(env);
    const programs = unpacked(made, 'signed');
    expect(programs.map((file) => path.basename(file))).toEqual(['hostler.exe']);
    for (const file of programs) {
      const { stdout } = verified(file);
      expect(stdout).toContain('Signature verification: ok');
      expect(stdout).toContain('Hostler test');
    }
    for (const name of made.names.filter((file) => /\.(exe|msi)$/.test(file)))
      expect([name, verified(made.path(name)).stdout]).toEqual([
        name,
        expect.stringContaining('Signature verification: ok'),
      ]);
    using again = build(env);
    expect(unpacked(again, 'again').map((file) => fs.readFileSync(file))).toEqual(
      programs.map((file) => fs.readFileSync(file)),
    );
    // A changed one is noticed.
    const [changed = ''] = programs;
    const bytes = fs.readFileSync(changed);
    bytes[0x80] = (bytes[0x80] ?? 0) ^ 1;
    fs.writeFileSync(at('changed.exe'), bytes);
    expect(verified(at('changed.exe')).stdout).not.toContain('Signature verification: ok');
  });

  const softhsm = '/usr/lib/softhsm/libsofthsm2.so';
  test.skipIf(!needs('softhsm2-util') || !fs.existsSync(softhsm))(
    'are signed with a key in hardware, by PKCS#11',
    () => {
      fs.mkdirSync(at('tokens'));
      fs.writeFileSync(at('softhsm2.conf'), `directories.tokendir = ${at('tokens')}\n`);
      fs.writeFileSync(at('pin.txt'), '4321');
      const softhsmIn = { SOFTHSM2_CONF: at('softhsm2.conf') };
      const token = (...args: string[]) =>
        spawnSync(findProgram('softhsm2-util') ?? '', args, { env: { ...process.env, ...softhsmIn } }).status;
      expect(token('--init-token', '--free', '--label', 'release', '--so-pin', '1234', '--pin', '4321')).toBe(0);
      run('openssl', ['pkcs8', '-topk8', '-nocrypt', '-in', 'key.pem', '-passin', 'pass:a word', '-out', 'plain.pem']);
      const key = [
        '--import',
        at('plain.pem'),
        '--token',
        'release',
        '--label',
        'signer',
        '--id',
        '01',
        '--pin',
        '4321',
      ];
      expect(token(...key)).toBe(0);
      const env = {
        ...softhsmIn,
        HOSTLER_CODE_SIGNING_CERTIFICATE: at('certificate.pem'),
        HOSTLER_CODE_SIGNING_MODULE: softhsm,
        HOSTLER_CODE_SIGNING_KEY: 'pkcs11:token=release;object=signer;type=private',
        HOSTLER_CODE_SIGNING_PASSWORD_FILE: at('pin.txt'),
        SOURCE_DATE_EPOCH: String(Math.floor(Date.now() / 1000)),
      };
      using made = build(env);
      const files = [
        ...unpacked(made, 'hardware'),
        ...made.names.filter((name) => /\.(exe|msi)$/.test(name)).map(made.path),
      ];
      // The program in the zip, the installer, the MSI.
      expect(files).toHaveLength(3);
      for (const file of files) expect(verified(file).stdout).toContain('Signature verification: ok');
      fs.writeFileSync(at('pin.txt'), '9999');
      expect(() => build(env)).toThrow('osslsigncode does not sign');
      const inUri = { HOSTLER_CODE_SIGNING_KEY: `${env.HOSTLER_CODE_SIGNING_KEY}?pin-value=4321` };
      expect(() => build({ ...env, ...inUri })).toThrow('must not contain the PIN');
    },
  );

  test('are left unsigned without them, and an incomplete pair is refused', () => {
    using made = build(stamp);
    for (const file of unpacked(made, 'unsigned'))
      expect(fs.readFileSync(file)).toEqual(fs.readFileSync(at('empty.exe')));
    const { HOSTLER_CODE_SIGNING_KEY } = signing();
    expect(() => build({ ...stamp, HOSTLER_CODE_SIGNING_KEY })).toThrow('only one of them is set');
  });
});
