import type { Files } from '../../../host/linux/files.ts';
import type { ArrayMember, StorageArray } from '../disks.schema.ts';
import { mostArrayMembers } from './array-md.ts';

const directory = '/sys/fs/btrfs';
/** Bounds a corrupt or hostile listing. */
export const mostArrays = 200;
const identifier = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Mounted file systems with the errors of each drive. https://docs.kernel.org/filesystems/btrfs.html */
export const readBtrfs = (files: Files) => fileSystems(files).map((id) => readFileSystem(files, id));

const fileSystems = (files: Files) =>
  files
    .list(directory)
    .filter((name) => identifier.test(name))
    .slice(0, mostArrays);

function readFileSystem(files: Files, id: string): StorageArray {
  const place = `${directory}/${id}`;
  const members = drivesOf(files, id).map(({ number, name, errors }): ArrayMember => {
    const isSet = (key: string) => files.text(`${place}/devinfo/${number}/${key}`)?.trim() === '1';
    return {
      name: name ?? `device ${number}`,
      state: isSet('missing') ? 'missing' : isSet('replace_target') ? 'rebuilding' : 'active',
      // Kernels before 5.14 have no such file.
      errors: errors.length === 0 ? null : errors.reduce((sum, { count }) => sum + count, 0),
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

/** Each count separately. Drives that the kernel does not name are identified by their number. */
export const btrfsErrors = (files: Files) =>
  fileSystems(files).flatMap((uuid) =>
    drivesOf(files, uuid).flatMap(({ number, name, errors }) =>
      errors.map(({ type, count }) => ({ uuid, device: name ?? number, type, count })),
    ),
  );

/** `name`: the kernel does not map numbers to drives, so it is known only where there is one drive. */
function drivesOf(files: Files, id: string) {
  const place = `${directory}/${id}`;
  const devices = files.list(`${place}/devices`);
  const numbers = files.list(`${place}/devinfo`).slice(0, mostArrayMembers);
  return numbers.map((number) => {
    const lines = files.text(`${place}/devinfo/${number}/error_stats`) ?? '';
    return {
      number,
      name: devices.length === 1 && numbers.length === 1 ? devices[0] : undefined,
      errors: [...lines.matchAll(/^(\w+)_errs (\d+)$/gm)].map(([, type = '', count]) => ({
        type,
        count: Number(count),
      })),
    };
  });
}
