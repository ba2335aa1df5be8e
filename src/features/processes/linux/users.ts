import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { parsePasswd } from '../../../host/linux/passwd.ts';

/** A user as far as known by now: the name is the number until somebody has said otherwise. */
export interface AccountName {
  readonly uid: number;
  name: string;
}

export interface UserNames {
  /** At once, always. */
  of(uid: number): AccountName;
  /** Notices changes, and asks for the names that /etc/passwd does not have; they come later. To be called now and then. */
  refresh(): void;
}

/** Programs are not asked again for a number that nobody knew before this time, ms. */
const askAgainMs = 3_600_000;
const lookAgainMs = 30_000;
const mostAtOnce = 500;

/** Names from /etc/passwd; those of directory services and of systemd's dynamic users from getent, in the background. */
export function createUserNames({
  files,
  clock,
  environment,
  run,
}: Pick<LinuxHost, 'files' | 'clock' | 'environment' | 'run'>): UserNames {
  const users = new Map<number, AccountName>();
  const wanted = new Set<number>();
  const local: { names: Map<number, string>; modified: number | null; lookedAt: number | null } = {
    names: new Map(),
    modified: null,
    lookedAt: null,
  };
  // Programs here speak of the users of this container, not of the machine that was mounted.
  const moved = ['HOSTLER_ROOT', 'HOSTLER_PROC', 'HOSTLER_ETC'].some((name) => environment.variable(name) !== null);
  let asking = false;
  let askedAt = clock.monotonic();

  const look = () => {
    if (local.lookedAt !== null && clock.monotonic() - local.lookedAt < lookAgainMs) return;
    local.lookedAt = clock.monotonic();
    const modified = files.modified('/etc/passwd');
    if (modified === local.modified) return;
    local.modified = modified;
    local.names = parsePasswd(files.text('/etc/passwd') ?? '');
    for (const user of users.values()) user.name = local.names.get(user.uid) ?? user.name;
  };

  const ask = async () => {
    const program = programs.find((file) => files.exists(file));
    const uids = [...wanted].slice(0, mostAtOnce);
    for (const uid of uids) wanted.delete(uid);
    if (program === undefined) return;
    asking = true;
    try {
      const { stdout } = await run(program, ['passwd', ...uids.map(String)]);
      for (const [uid, name] of parsePasswd(stdout)) {
        const user = users.get(uid);
        if (user !== undefined) user.name = name;
      }
    } catch {
      // The number stands for the name.
    } finally {
      asking = false;
    }
  };

  return {
    of(uid) {
      const known = users.get(uid);
      if (known !== undefined) return known;
      look();
      const name = local.names.get(uid);
      if (name === undefined) wanted.add(uid);
      const user = { uid, name: name ?? String(uid) };
      users.set(uid, user);
      return user;
    },
    refresh() {
      look();
      if (clock.monotonic() - askedAt > askAgainMs) {
        askedAt = clock.monotonic();
        for (const { uid, name } of users.values()) if (name === String(uid)) wanted.add(uid);
      }
      if (wanted.size > 0 && !asking && !moved) void ask();
    },
  };
}

const programs = ['/usr/bin/getent', '/bin/getent', '/run/current-system/sw/bin/getent'];
