import { describe, expect, test } from 'bun:test';
import { parseMountinfo } from '../../../host/linux/storage/mountinfo.ts';
import { fileMounts, type MountKind } from './mount-kinds.ts';

const root = '1 0 8:1 / / rw - ext4 /dev/sda1 rw';

function mounts(...lines: string[]) {
  return fileMounts(parseMountinfo([root, ...lines].join('\n'))).filter(({ id }) => id !== 1);
}

describe('kinds of file systems', () => {
  test.each<[string, MountKind, boolean]>([
    ['8:2 / /x rw - ext4 /dev/sda2 rw', 'block', false],
    ['8:2 / /x rw - vfat /dev/sda2 rw', 'block', true],
    ['8:2 / /x rw - fuseblk /dev/sda2 rw', 'block', true],
    ['0:40 / /x rw - btrfs /dev/sda2 rw', 'pool', false],
    ['0:40 / /x rw - zfs tank/x rw', 'pool', true],
    ['0:40 / /x rw - nfs4 nas:/x rw', 'remote', true],
    ['0:40 / /x rw - cifs //nas/x rw', 'remote', true],
    ['0:40 / /x rw - virtiofs tag rw', 'remote', true],
    ['0:40 / /x rw - fuse.sshfs me@there: rw', 'remote', true],
    ['0:40 / /x rw - newnetfs server:/volume rw', 'remote', true],
    ['0:40 / /x rw - tmpfs tmpfs rw', 'memory', false],
    ['0:40 / /x rw - overlay overlay rw', 'overlay', false],
    ['0:40 / /x rw - ubifs ubi0:data rw', 'block', true],
  ])('%s is %s; slow: %p', (line, kind, slow) => {
    expect(mounts(`2 1 ${line}`).map((mount) => [mount.kind, mount.slow])).toEqual([[kind, slow]]);
  });

  test.each([
    'proc proc',
    'sysfs sysfs',
    'devtmpfs udev',
    'devpts devpts',
    'cgroup2 cgroup2',
    'securityfs securityfs',
    'pstore pstore',
    'bpf bpf',
    'tracefs tracefs',
    'debugfs debugfs',
    'configfs configfs',
    'fusectl fusectl',
    'hugetlbfs hugetlbfs',
    'mqueue mqueue',
    'efivarfs efivarfs',
    'binfmt_misc binfmt_misc',
    'rpc_pipefs sunrpc',
    'nfsd nfsd',
    'nsfs nsfs',
    'selinuxfs selinuxfs',
    'autofs systemd-1',
    'fuse.gvfsd-fuse gvfsd-fuse',
    'fuse.portal portal',
    'fuse.lxcfs lxcfs',
  ])('%s contains no files', (type) => {
    expect(mounts(`2 1 0:40 / /x rw - ${type} rw`)).toEqual([]);
  });

  test('a mount below a slow one, or mounted on demand, is slow', () => {
    const found = mounts(
      '2 1 0:40 / /nas rw - nfs nas:/x rw',
      '3 2 8:2 / /nas/disk rw - ext4 /dev/sda2 rw',
      '4 1 0:41 / /auto rw - autofs systemd-1 rw',
      '5 4 8:3 / /auto rw - ext4 /dev/sda3 rw',
      '6 5 8:4 / /auto/below rw - ext4 /dev/sda4 rw',
      '7 1 8:5 / /plain rw - ext4 /dev/sda5 rw',
    );
    expect(found.filter(({ slow }) => !slow).map(({ point }) => point)).toEqual(['/plain']);
  });
});

describe('categories of mounts', () => {
  const categories = (...lines: string[]) =>
    mounts(...lines.map((line, index) => `${index + 2} 1 ${line}`)).map(
      ({ point, category }) => `${point} ${category}`,
    );

  test('a directory or a file of a file system elsewhere is a bind mount', () => {
    expect(
      categories(
        '8:2 / /data rw - ext4 /dev/sda2 rw',
        '8:2 /www /srv rw - ext4 /dev/sda2 rw',
        '8:1 /etc/x /etc/y rw - ext4 /dev/sda1 rw',
      ),
    ).toEqual(['/data primary', '/srv bind', '/etc/y bind']);
  });

  test('a device that is mounted again is a bind mount the second time; the root comes first', () => {
    expect(
      categories(
        '8:1 / /sysroot rw - ext4 /dev/sda1 rw',
        '8:2 / /a rw - xfs /dev/sda2 rw',
        '8:2 / /b rw - xfs /dev/sda2 rw',
      ),
    ).toEqual(['/sysroot bind', '/a primary', '/b bind']);
  });

  test('if only parts of a device are mounted, none of them is primary', () => {
    expect(categories('8:9 /a /x rw - ext4 /dev/sdb9 rw', '8:9 /b /y rw - ext4 /dev/sdb9 rw')).toEqual([
      '/x bind',
      '/y bind',
    ]);
  });

  test('subvolumes are primary; a directory in one, or the same again, is a bind mount', () => {
    expect(
      categories(
        '0:40 /@home /home rw - btrfs /dev/sda2 rw,subvolid=257,subvol=/@home',
        '0:40 /@log /var/log rw - btrfs /dev/sda2 rw,subvolid=258,subvol=/@log',
        '0:40 / /top rw - btrfs /dev/sda2 rw,subvolid=5,subvol=/',
        '0:40 /@home/me /me rw - btrfs /dev/sda2 rw,subvolid=257,subvol=/@home',
        '0:40 /@log /log rw - btrfs /dev/sda2 rw,subvolid=258,subvol=/@log',
        '0:41 /@old /old rw - btrfs /dev/sda3 rw',
      ),
    ).toEqual(['/home primary', '/var/log primary', '/top primary', '/me bind', '/log bind', '/old primary']);
  });

  test('package images are squashfs, whatever program mounts them; as the root they are primary', () => {
    expect(
      categories(
        '7:0 / /snap/a/1 ro - squashfs /dev/loop0 ro',
        '0:40 / /snap/b/1 ro - fuse.snapfuse snapfuse ro',
        '0:41 / /tmp/.mount_KritaX ro - fuse.krita krita ro',
        '0:42 / /tmp/x ro - fuse.Tool-1.2.AppImage Tool ro',
      ),
    ).toEqual(['/snap/a/1 squashfs', '/snap/b/1 squashfs', '/tmp/.mount_KritaX squashfs', '/tmp/x squashfs']);
    const live = fileMounts(parseMountinfo('1 0 7:0 / / ro - squashfs /dev/loop0 ro'));
    expect(live.map(({ category }) => category)).toEqual(['primary']);
  });

  test('overlays are views of others, except for the root', () => {
    expect(categories('0:40 / /var/lib/docker/overlay2/x/merged rw - overlay overlay rw')).toEqual([
      '/var/lib/docker/overlay2/x/merged bind',
    ]);
    const container = fileMounts(parseMountinfo('1 0 0:40 / / rw - overlay overlay rw'));
    expect(container.map(({ category }) => category)).toEqual(['primary']);
  });

  test('exports of one server are file systems of their own; the same one again is a bind mount', () => {
    expect(
      categories(
        '0:40 / /a rw - nfs4 nas:/a rw',
        '0:40 / /b rw - nfs4 nas:/b rw',
        '0:40 /sub /c rw - nfs4 nas:/a rw',
        '0:41 /prefix /d rw - cifs //nas/d rw',
        '0:42 / /e rw - fuse.tool tool rw',
        '0:43 / /f rw - fuse.tool tool rw',
      ),
    ).toEqual(['/a primary', '/b primary', '/c bind', '/d primary', '/e primary', '/f primary']);
  });
});
