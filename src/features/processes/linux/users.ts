import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parsePasswd } from '../../../host/linux/passwd.ts';

/** The name is the UID until it is known. */
export interface AccountName {
  readonly uid: number;
  name: string;
}

export type UserNames = ReturnType<typeof createUserNames>;

/** Pause before getent is run again for an unknown UID. */
const retryMs = 3_600_000;
const checkEveryMs = 30_000;
const mostAtOnce = 500;

/** Names from /etc/passwd; those of directory services and of systemd's dynamic users from getent, in the background. */
export function createUserNames(host: Pick<LinuxHost, 'files' | 'clock' | 'environment' | 'run'>) {
  const { files, clock, environment, run } = host;
  const users = new Map<number, AccountName>();
  const wanted = new Set<number>();
  const local: { names: Map<number, string>; modified: number | null; checkedAt: number | null } = {
    names: new Map(),
    modified: null,
    checkedAt: null,
  };
  // Programs in this container know its users, not those of the mounted machine.
  const moved = ['HOSTLER_ROOT', 'HOSTLER_PROC', 'HOSTLER_ETC'].some((name) => environment.variable(name) !== null);
  let isRunning = false;
  let requestedAt = clock.monotonic();

  const readPasswd = () => {
    if (local.checkedAt !== null && clock.monotonic() - local.checkedAt < checkEveryMs) return;
    local.checkedAt = clock.monotonic();
    const modified = files.modified('/etc/passwd');
    if (modified === local.modified) return;
    local.modified = modified;
    local.names = parsePasswd(files.text('/etc/passwd') ?? '');
    for (const user of users.values()) user.name = local.names.get(user.uid) ?? user.name;
  };

  const runGetent = async () => {
    const program = programs.find((file) => files.exists(file));
    const uids = [...wanted].slice(0, mostAtOnce);
    for (const uid of uids) wanted.delete(uid);
    if (program === undefined) return;
    isRunning = true;
    try {
      const { stdout } = await run(program, ['passwd', ...uids.map(String)]);
      for (const [uid, name] of parsePasswd(stdout)) {
        const user = users.get(uid);
        if (user !== undefined) user.name = name;
      }
    } catch {
      // The UID remains the name.
    } finally {
      isRunning = false;
    }
  };

  return {
    /** Never blocks. */
    of(uid: number): AccountName {
      const known = users.get(uid);
      if (known !== undefined) return known;
      readPasswd();
      const name = local.names.get(uid);
      if (name === undefined) wanted.add(uid);
      const user = { uid, name: name ?? String(uid) };
      users.set(uid, user);
      return user;
    },
    /** Reads changes of /etc/passwd, and requests missing names in the background. Call it regularly. */
    refresh() {
      readPasswd();
      if (clock.monotonic() - requestedAt > retryMs) {
        requestedAt = clock.monotonic();
        for (const { uid, name } of users.values()) if (name === String(uid)) wanted.add(uid);
      }
      if (wanted.size > 0 && !isRunning && !moved) void runGetent();
    },
  };
}

const programs = ['/usr/bin/getent', '/bin/getent', '/run/current-system/sw/bin/getent'];
