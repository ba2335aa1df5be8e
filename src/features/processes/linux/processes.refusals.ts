import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parsePasswd } from '../../../host/linux/passwd.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { ProcessIdentity } from '../processes.contract.ts';
import { type Errno, errnos } from './process-calls.ts';
import type { ProcessRecord } from './process-record.ts';

/** Programs choose their names freely: quote and shorten them. */
export const quotedName = (name: string) => JSON.stringify(name.slice(0, 64));

export const otherNumbers =
  'The processes shown are those of another system (HOSTLER_PROC), whose numbers mean other processes here: they can be changed only from there';

export const tooOld = 'This kernel cannot identify a process reliably: that takes Linux 5.3 or newer';

export const gone = (id: number) => new ServiceError('not_found', `There is no process ${id}; it may have ended`);

/** Why the process with this PID must not be changed; null: it is the intended one. */
export function whyNotThis(record: ProcessRecord | null, { id, start_time }: ProcessIdentity): ServiceError | null {
  if (record === null) return gone(id);
  const { name, start, isKernelThread, isZombie } = record;
  if (start !== start_time)
    return new ServiceError(
      'conflict',
      `PID ${id} belongs to another process now: ${quotedName(name)}, with the start time ${start} instead of ${start_time}. It was not changed`,
    );
  if (isKernelThread)
    return new ServiceError('forbidden', `${quotedName(name)} (${id}) is a kernel thread and cannot be changed`);
  if (isZombie)
    return new ServiceError(
      'conflict',
      `${quotedName(name)} (${id}) has already ended; it stays in the list until its parent reaps it`,
    );
  return null;
}

interface Attempt {
  id: number;
  /** Completes "cannot be …". */
  verb: string;
  name?: string;
}

/** The errno of the system as a message. */
export function processRefusalOf(
  errno: Errno,
  { id, verb, name }: Attempt,
  { files, environment }: Pick<LinuxHost, 'files' | 'environment'>,
): ServiceError {
  const named = name === undefined ? `Process ${id}` : `${quotedName(name)} (${id})`;
  const cannot = (code: ServiceError['code'], why: string, whose = '') =>
    new ServiceError(code, `${named}${whose} cannot be ${verb}: ${why}`);
  switch (errno) {
    case errnos.ESRCH:
      return gone(id);
    // The PID of a thread that is not the main one, on older and newer kernels.
    case errnos.EINVAL:
    case errnos.ENOENT:
      return new ServiceError('not_found', `There is no process ${id}: the PID is that of a thread`);
    case errnos.EPERM: {
      const owner = ownerOf(files, id);
      const whose = owner === null ? ',' : `, a process of the user ${owner},`;
      const why = `the system does not allow it to the user ${environment.userName}, who runs this service`;
      return cannot('forbidden', why, whose);
    }
    case errnos.EACCES:
      return cannot('forbidden', 'only root, or a service with the capability CAP_SYS_NICE, may raise a priority');
    case errnos.EMFILE:
      return cannot('failed', 'this service has too many files open');
    case errnos.ENOSYS:
      return new ServiceError('unsupported', tooOld);
    default:
      return cannot('failed', `the system reports error ${errno}`);
  }
}

/** The real user; null: unknown. */
export function ownerOf(files: LinuxHost['files'], id: number): string | null {
  const uid = /^Uid:\t(\d+)/m.exec(files.text(`/proc/${id}/status`) ?? '')?.[1];
  if (uid === undefined) return null;
  return parsePasswd(files.text('/etc/passwd') ?? '').get(Number(uid)) ?? uid;
}
