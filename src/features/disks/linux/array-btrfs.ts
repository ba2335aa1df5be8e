import type { Files } from '../../../host/linux/files.ts';
import { type ArrayMember, type DiskArray, mostArrayMembers, mostArrays } from './disk-array.ts';

const directory = '/sys/fs/btrfs';
const identifier = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Mounted file systems with the errors of each drive. https://docs.kernel.org/filesystems/btrfs.html */
export function readBtrfs(files: Files): DiskArray[] {
  return files
    .list(directory)
    .filter((name) => identifier.test(name))
    .slice(0, mostArrays)
    .map((id) => readFileSystem(files, id));
}

function readFileSystem(files: Files, id: string): DiskArray {
  const place = `${directory}/${id}`;
  const devices = files.list(`${place}/devices`);
  const numbers = files.list(`${place}/devinfo`).slice(0, mostArrayMembers);
  const members = numbers.map((number): ArrayMember => {
    const about = (key: string) => files.text(`${place}/devinfo/${number}/${key}`)?.trim() ?? '';
    return {
      // The kernel does not map device numbers to drives.
      name: devices.length === 1 && numbers.length === 1 ? (devices[0] ?? '') : `device ${number}`,
      state: about('missing') === '1' ? 'missing' : about('replace_target') === '1' ? 'rebuilding' : 'active',
      errors: parseErrorStats(about('error_stats')),
    };
  });
  const missing = members.filter(({ state }) => state === 'missing').length;
  const operation = files.text(`${place}/exclusive_operation`)?.trim() ?? 'none';
  return {
    name: files.text(`${place}/label`)?.trim() || id,
    kind: 'btrfs',
    level: levelOf(files, place),
    // Kernels before 5.6 have no such directory.
    state: members.length === 0 ? null : missing > 0 ? 'degraded' : 'ok',
    reported: null,
    activity: operation === 'none' || operation === '' ? null : { action: operation.slice(0, 32), percent: null },
    missing: members.length === 0 ? null : missing,
    members,
    volumes: [],
  };
}

/** The profile of its data: `single`, `raid1` … During a conversion there are two. */
function levelOf(files: Files, place: string): string | null {
  const levels = files.list(`${place}/allocation/data`).filter((name) => /^(single|dup|raid\w+)$/.test(name));
  return levels.length === 0 ? null : levels.join(', ');
}

/** Lines such as `write_errs 0`. null: kernels before 5.14 have no such file. */
function parseErrorStats(text: string): number | null {
  const counts = [...text.matchAll(/^\w+_errs (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

/** Each count separately. Drives that the kernel does not name are identified by their number. */
export function btrfsErrors(files: Files): { uuid: string; device: string; type: string; count: number }[] {
  return files
    .list(directory)
    .filter((name) => identifier.test(name))
    .slice(0, mostArrays)
    .flatMap((uuid) => {
      const devices = files.list(`${directory}/${uuid}/devices`);
      const numbers = files.list(`${directory}/${uuid}/devinfo`).slice(0, mostArrayMembers);
      return numbers.flatMap((number) => {
        const device = devices.length === 1 && numbers.length === 1 ? (devices[0] ?? number) : number;
        const text = files.text(`${directory}/${uuid}/devinfo/${number}/error_stats`) ?? '';
        return [...text.matchAll(/^(\w+)_errs (\d+)$/gm)].map(([, type = '', count]) => ({
          uuid,
          device,
          type,
          count: Number(count),
        }));
      });
    });
}
