import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram } from './parts.ts';
import { root } from './service.ts';

/**
 * A virtual machine of QEMU, without KVM. Its kernel is that of this machine, or of a package that was unpacked
 * (`dpkg-deb -x linux-image-….deb folder`) and is named by HOSTLER_GUEST_KERNEL.
 */
export interface GuestRecipe {
  /** Its first process, in this folder. */
  init: string;
  /** Programs of this machine that it uses. */
  programs: readonly string[];
  /** Kernel modules to load, after their dependencies; a missing file is built in, or not needed by this kernel. */
  modules: readonly string[];
  /** A module without which the virtual machine is of no use. */
  needed: string;
  /** Other files, by their paths in the virtual machine. */
  files?: ReadonlyMap<string, string>;
  /** Arguments of QEMU for attached devices; disks are images in the folder. */
  devices(directory: string): string[];
}

interface GuestKernel {
  image: string;
  modules: string;
}

const machines: Record<string, { program: string; arguments: string[]; console: string }> = {
  arm64: { program: 'qemu-system-aarch64', arguments: ['-machine', 'virt', '-cpu', 'cortex-a72'], console: 'ttyAMA0' },
  x64: { program: 'qemu-system-x86_64', arguments: ['-machine', 'q35', '-cpu', 'max'], console: 'ttyS0' },
};
const machine = machines[process.arch];

/** Drives that have SMART: three on SATA, one NVMe. */
export const guestWithDrives: GuestRecipe = {
  init: 'guest-init.sh',
  programs: ['busybox', 'smartctl', 'nvme', 'mdadm'],
  modules: ['crc32c_generic', 'crct10dif_generic', 'crc64_rocksoft_generic', 'nvme', 'ahci', 'sd_mod', 'raid1'],
  needed: 'drivers/nvme/host/nvme.ko',
  devices: (directory) => [
    '-device',
    'ahci,id=ahci',
    ...['s1', 's2', 's3', 'n1'].flatMap((id, index) => {
      const file = path.join(directory, id);
      fs.writeFileSync(file, '');
      fs.truncateSync(file, 64 * 2 ** 20);
      const device = id.startsWith('s') ? `ide-hd,bus=ahci.${index}` : 'nvme';
      return ['-drive', `file=${file},if=none,id=${id},format=raw`, '-device', `${device},drive=${id},serial=${id}`];
    }),
  ],
};

/** Three radios that receive each other, cards that can wake the machine, and every kind of VPN that the kernel supports. */
export const guestWithRadios: GuestRecipe = {
  init: 'guest-radio-init.sh',
  programs: ['busybox', 'setpriv', 'ip', 'iw', 'ethtool', 'hostapd', 'wpa_supplicant'],
  modules: [
    'ccm',
    'ctr',
    'cmac',
    'gcm',
    'ghash_generic',
    'aes_generic',
    'arc4',
    'mac80211_hwsim',
    'wireguard',
    'tun',
    'xfrm_interface',
    'dummy',
    'e1000e',
    '8139cp',
  ],
  needed: 'drivers/net/wireless/mac80211_hwsim.ko',
  devices: () => [
    '-device',
    'e1000e,mac=52:54:00:00:00:01,romfile=',
    '-device',
    'rtl8139,mac=52:54:00:00:00:02,romfile=',
  ],
};

/** null: it can run here. Never required, also not with CI=true: a kernel and QEMU are 140 MB, and it takes minutes on a busy machine. */
export function whyNoGuest({ programs, needed }: GuestRecipe): string | null {
  const missing = [machine?.program ?? `QEMU for ${process.arch}`, ...programs].filter(
    (name) => findProgram(name) === null,
  );
  if (missing.length > 0) return `${missing.join(', ')} not found`;
  if (findKernel(needed) === null)
    return `no kernel with the module ${path.basename(needed, '.ko')}; HOSTLER_GUEST_KERNEL may name one`;
  return fs.existsSync(path.join(root, 'dist', 'hostler')) ? null : 'dist/hostler has not been built';
}

function findKernel(needed: string): GuestKernel | null {
  const place = process.env.HOSTLER_GUEST_KERNEL ?? '/';
  const boot = path.join(place, 'boot');
  const images = fs.existsSync(boot) ? fs.readdirSync(boot).filter((name) => name.startsWith('vmlinuz-')) : [];
  for (const image of images) {
    const modules = path.join(place, 'lib/modules', image.slice('vmlinuz-'.length), 'kernel');
    if (fs.existsSync(path.join(modules, needed))) return { image: path.join(boot, image), modules };
  }
  return null;
}

/** Runs it to its end; returns the output under each name. */
export async function runGuest(recipe: GuestRecipe): Promise<Map<string, string>> {
  const kernel = findKernel(recipe.needed);
  if (kernel === null || machine === undefined) throw new Error('there is no kernel for a virtual machine');
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-guest-'));
  try {
    const initramfs = path.join(directory, 'initramfs');
    fs.writeFileSync(initramfs, archive(contents(kernel, recipe)));
    const child = spawn(
      findProgram(machine.program) ?? '',
      [
        ...machine.arguments,
        '-accel',
        'tcg,thread=multi',
        '-smp',
        '2',
        '-m',
        '1500',
        '-nographic',
        '-no-reboot',
        '-nic',
        'none',
        '-kernel',
        kernel.image,
        '-initrd',
        initramfs,
        '-append',
        `console=${machine.console} quiet panic=-1`,
        ...recipe.devices(directory),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    // Decoded as a stream: a chunk may end within a character.
    child.stdout.setEncoding('utf8').on('data', (bytes: string) => {
      text += bytes;
      // For debugging a new init script.
      if (process.env.HOSTLER_GUEST_SHOW) process.stderr.write(bytes);
    });
    await once(child, 'exit');
    const parts = text.replaceAll('\r', '').split(/^=== (\w+)\n/m);
    return new Map(parts.flatMap((name, index) => (index % 2 === 1 ? [[name, (parts[index + 1] ?? '').trim()]] : [])));
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

type Entry = { name: string; mode: number; bytes: Uint8Array };

function contents({ modules }: GuestKernel, recipe: GuestRecipe): Entry[] {
  const files = new Map<string, string>([
    ['init', path.join(import.meta.dirname, recipe.init)],
    ['bin/hostler', path.join(root, 'dist', 'hostler')],
    ...recipe.programs.map((name): [string, string] => [`bin/${name}`, findProgram(name) ?? '']),
    ...(recipe.files ?? []),
  ]);
  for (const file of [...files.values()].filter((each) => !each.endsWith('.sh')))
    for (const library of librariesOf(file)) files.set(library.slice(1), library);
  for (const [index, file] of inOrder(modules, recipe.modules).entries())
    files.set(`modules/${String(index).padStart(2, '0')}-${path.basename(file)}`, file);
  const directories = new Set(['proc', 'sys', 'dev', 'run', 'tmp', 'root']);
  for (const name of files.keys())
    for (let at = path.dirname(name); at !== '.'; at = path.dirname(at)) directories.add(at);
  return [
    ...[...directories].sort().map((name) => ({ name, mode: 0o40755, bytes: new Uint8Array() })),
    ...[...files].map(([name, file]) => ({ name, mode: 0o100755, bytes: fs.readFileSync(file) })),
  ];
}

/** A static program has none, and ldd says so by failing. */
function librariesOf(program: string): string[] {
  try {
    const text = execFileSync(findProgram('ldd') ?? 'ldd', [program], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [...text.matchAll(/(\/\S+) \(0x/g)].map(([, file = '']) => file);
  } catch {
    return [];
  }
}

/** Each after its dependencies, which it names itself. Built-in modules have no file. */
function inOrder(directory: string, wanted: readonly string[]): string[] {
  const all = new Map(
    fs
      .readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ko'))
      .map((file) => [path.basename(file, '.ko').replaceAll('-', '_'), path.join(directory, file)]),
  );
  const ordered = new Set<string>();
  const add = (name: string) => {
    const file = all.get(name.replaceAll('-', '_'));
    if (file === undefined || ordered.has(file)) return;
    const [, needed = ''] = /\0depends=([^\0]*)\0/.exec(fs.readFileSync(file, 'latin1')) ?? [];
    for (const other of needed.split(',')) add(other);
    ordered.add(file);
  };
  for (const name of wanted) add(name);
  return [...ordered];
}

/** An archive as the kernel unpacks it: cpio, "newc". https://docs.kernel.org/driver-api/early-userspace/buffer-format.html */
function archive(entries: Entry[]): Buffer {
  const pieces: Uint8Array[] = [];
  const padded = (bytes: Uint8Array) => pieces.push(bytes, new Uint8Array((4 - (bytes.length % 4)) % 4));
  for (const [index, { name, mode, bytes }] of [
    ...entries,
    { name: 'TRAILER!!!', mode: 0, bytes: new Uint8Array() },
  ].entries()) {
    const numbers = [index + 1, mode, 0, 0, 1, 0, bytes.length, 0, 0, 0, 0, name.length + 1, 0];
    padded(Buffer.from(`070701${numbers.map((each) => each.toString(16).padStart(8, '0')).join('')}${name}\0`));
    padded(bytes);
  }
  return Buffer.concat(pieces);
}
