import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { createHangingMounts, hangingPoints } from './hanging-mounts.ts';
import { parseMountinfo } from './mountinfo.ts';

const line = (point: string, type: string, device = '0:50') =>
  `40 30 ${device} / ${point} rw,relatime shared:1 - ${type} source rw\n`;
const root = line('/', 'ext4', '8:1');

describe('a mount of the type', () => {
  test.each([
    'nfs',
    'nfs4',
    'cifs',
    'smb3',
    '9p',
    'virtiofs',
    'afs',
    'ceph',
    'fuse',
    'fuse.sshfs',
    'fuse.rclone',
    'fuse.glusterfs',
    'fuse.davfs2',
    'davfs',
    'autofs',
    'vboxsf',
    'lustre',
    'something-new',
  ])('%s may hang', (type) => {
    expect([...hangingPoints(parseMountinfo(line('/nas', type)))]).toEqual(['/nas']);
  });

  test.each(['fuseblk', 'gfs2', 'ocfs2'])('%s may hang, though it is on a block device', (type) => {
    expect([...hangingPoints(parseMountinfo(line('/disk', type, '8:17')))]).toEqual(['/disk']);
  });

  test.each([
    ['ext4', '8:1'],
    ['xfs', '253:0'],
    ['vfat', '8:2'],
    ['ntfs3', '8:3'],
    ['squashfs', '7:1'],
    ['something-new', '8:4'],
    ['btrfs', '0:30'],
    ['zfs', '0:31'],
    ['tmpfs', '0:32'],
    ['overlay', '0:33'],
    ['proc', '0:5'],
    ['sysfs', '0:6'],
    ['cgroup2', '0:7'],
    ['devtmpfs', '0:8'],
    ['fusectl', '0:9'],
  ])('%s on %s does not', (type, device) => {
    expect(hangingPoints(parseMountinfo(line('/disk', type, device))).size).toBe(0);
  });

  test("autofs at the kernel's own place does not cause links to be read", () => {
    expect(hangingPoints(parseMountinfo(line('/proc/sys/fs/binfmt_misc', 'autofs'))).size).toBe(0);
  });
});

describe('the way to a file', () => {
  let directory: string;
  const at = (...names: string[]) => path.join(directory, ...names);
  beforeAll(() => {
    directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-ways-')));
    for (const made of ['home/Music', 'home/nas/inner', 'mnt/nas/films', 'mnt/größe', 'other']) {
      fs.mkdirSync(at(made), { recursive: true });
    }
    fs.writeFileSync(at('home/Music/song.mp3'), '');
    const links = {
      'home/Videos': at('mnt/nas/films'),
      'home/films': '../mnt/nas/../nas/films',
      'home/Big': at('mnt/größe'),
      'home/again': 'Videos',
      'home/loop': 'loop',
      'home/Music/film.mp4': '../films/film.mp4',
      'home/Music/elsewhere.mp3': at('other/x.mp3'),
      'home/Music/beside': at('mnt'),
      'home/Music/up.mp3': `${at('mnt/nas')}/../../other/x.mp3`,
      'home-by-link': 'home',
    };
    for (const [name, target] of Object.entries(links)) fs.symlinkSync(target, at(name));
  });
  afterAll(() => fs.rmSync(directory, { recursive: true }));

  const bytes = (text: string) => Buffer.from(text).toString('latin1').replaceAll(' ', '\\040');
  const mountOf = (base: string, relative: string, ...points: string[]) => {
    const table = root + points.map((point) => line(bytes(point), 'nfs4')).join('');
    const found = createHangingMounts(fakeClock(), () => table).onWay(base, relative);
    return found === null ? null : path.relative(directory, Buffer.from(found, 'latin1').toString());
  };

  test.each<[string, string, string | null]>([
    ['home', 'Music/song.mp3', null],
    ['home/Music', 'song.mp3', null],
    ['home/Music', 'nothing/at/all.mp3', null],
    ['home/Music', 'elsewhere.mp3', null],
    ['home/Music', '.', null],
    ['home', 'nasty.mp3', null],
    ['nowhere', 'x.mp3', null],
    ['home', 'nas/x.mp3', 'home/nas'],
    ['home', 'nas', 'home/nas'],
    ['home/nas', 'x.mp3', 'home/nas'],
    ['home/nas/deeper', 'x.mp3', 'home/nas'],
    ['home/', 'nas//x.mp3', 'home/nas'],
    ['home-by-link', 'nas/x.mp3', 'home/nas'],
    ['home/nas/inner', 'x.mp3', 'home/nas/inner'],
    ['home', 'nas/inner/x.mp3', 'home/nas/inner'],
    ['home/Videos', 'x.mp4', 'mnt/nas'],
    ['home', 'Videos/x.mp4', 'mnt/nas'],
    ['home', 'films/x.mp4', 'mnt/nas'],
    ['home', 'again/x.mp4', 'mnt/nas'],
    ['home/Music', 'film.mp4', 'mnt/nas'],
    ['home/Music', 'beside/nas/x.mp4', 'mnt/nas'],
    ['home/Music', 'beside/x.mp4', null],
    ['home/Big', 'x.mp4', 'mnt/größe'],
    ['mnt/größe', 'ö.mp4', 'mnt/größe'],
  ])('%s, %s: %s', (base, relative, mount) => {
    const points = ['home/nas', 'home/nas/inner', 'mnt/nas', 'mnt/größe', 'mnt/with space'].map((point) => at(point));
    expect(mountOf(at(base), relative, ...points)).toBe(mount);
  });

  test('a link through such a mount counts, wherever it leads in the end', () => {
    expect(mountOf(at('home/Music'), 'up.mp3', at('mnt/nas'))).toBe('mnt/nas');
  });

  test('links without end are not followed here', () => {
    const mounts = createHangingMounts(fakeClock(), () => root + line(at('mnt/nas'), 'nfs'));
    expect(mounts.onWay(at('home'), 'loop/x.mp3')).toBe('/');
  });

  test('a way of thousands of names is not followed here', () => {
    const deep = path.join(at('other'), ...Array<string>(300).fill('deep'));
    fs.mkdirSync(deep, { recursive: true });
    const links = Array.from({ length: 10 }, (_, index) => path.join(deep, `${index}`));
    for (const [index, link] of links.entries()) fs.symlinkSync(links[index + 1] ?? at('other'), link);
    expect(mountOf(at('other'), path.relative(at('other'), deep), at('mnt/nas'))).toBeNull();
    const mounts = createHangingMounts(fakeClock(), () => root + line(at('mnt/nas'), 'nfs'));
    expect(mounts.onWay(links[0] ?? '', 'x.mp3')).toBe('/');
  });

  test('if the root may hang, so may everything', () => {
    const mounts = createHangingMounts(fakeClock(), () => line('/', 'nfs') + line('/boot', 'nfs'));
    expect(mounts.onWay('/home', 'x.mp3')).toBe('/');
    expect(mounts.onWay('/boot', 'x.mp3')).toBe('/boot');
  });

  test('the names of such mounts in a directory are listed', () => {
    const points = ['/home/nas', '/home/nas/inner', '/homely', '/home/deep/er', '/usb\\040stick'];
    const mounts = createHangingMounts(
      fakeClock(),
      () => root + line('/home/disk', 'ext4', '8:2') + points.map((point) => line(point, 'nfs4')).join(''),
    );
    expect([...mounts.inside('/home')]).toEqual(['nas']);
    expect([...mounts.inside('/home/nas')]).toEqual(['inner']);
    expect([...mounts.inside('/')]).toEqual(['homely', 'usb stick']);
    expect([...mounts.inside('/usb stick')]).toEqual([]);
  });

  test('the table and the links are read again after a while', () => {
    const clock = fakeClock();
    let table = root;
    let reads = 0;
    const mounts = createHangingMounts(clock, () => {
      reads += 1;
      return table;
    });
    expect(mounts.onWay(at('home/Music'), 'song.mp3')).toBeNull();
    expect(mounts.onWay(at('home/Music'), 'song.mp3')).toBeNull();
    expect(reads).toBe(1);
    table = root + line(at('home/Music'), 'fuse.sshfs');
    clock.advance(1000);
    expect(mounts.onWay(at('home/Music'), 'song.mp3')).toBe(at('home/Music'));
    expect(reads).toBe(2);
    table = root + line(at('mnt/nas'), 'fuse.sshfs');
    clock.advance(1000);
    expect(mounts.onWay(at('home'), 'later/x.mp3')).toBeNull();
    fs.symlinkSync(at('mnt/nas'), at('home/later'));
    clock.advance(1000);
    expect(mounts.onWay(at('home'), 'later/x.mp3')).toBe(at('mnt/nas'));
  });
});
