import path from 'node:path';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxEnvironment } from '../../../host/linux/linux-environment.ts';
import { runtimeDirectory } from '../../../host/linux/runtime-directory.ts';

export type UnitFileStates = ReturnType<typeof createUnitFileStates>;

/** Directories of unit files. https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html#Unit%20File%20Load%20Path */
export interface UnitDirectories {
  /** Where units are enabled and masked: permanently, and until the next boot (`runtime`). */
  lasting: string[];
  runtime: string[];
  transient: string[];
  generated: string[];
  vendor: string[];
}

export const systemUnitDirectories: UnitDirectories = {
  lasting: ['/etc/systemd/system'],
  runtime: ['/run/systemd/system'],
  transient: ['/run/systemd/transient'],
  generated: ['/run/systemd/generator', '/run/systemd/generator.early', '/run/systemd/generator.late'],
  vendor: ['/usr/local/lib/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'],
};

export function userUnitDirectories({
  variable,
  home,
  uid,
}: Pick<LinuxEnvironment, 'variable' | 'home' | 'uid'>): UnitDirectories {
  const runtime = runtimeDirectory({ variable, uid });
  const below = (...names: string[]) => (runtime === null ? [] : names.map((name) => path.join(runtime, name)));
  return {
    lasting: [path.join(variable('XDG_CONFIG_HOME') ?? `${home}/.config`, 'systemd/user'), '/etc/systemd/user'],
    runtime: [...below('systemd/user'), '/run/systemd/user'],
    transient: below('systemd/transient'),
    generated: below('systemd/generator', 'systemd/generator.early', 'systemd/generator.late'),
    vendor: [
      path.join(variable('XDG_DATA_HOME') ?? `${home}/.local/share`, 'systemd/user'),
      '/usr/local/lib/systemd/user',
      '/usr/lib/systemd/user',
      '/lib/systemd/user',
    ],
  };
}

/** A snapshot of the directories. */
interface Snapshot {
  /** Enabled or masked, by name. */
  decided: Map<string, string>;
  /** Path of the file by name, from the first directory that has it. */
  places: Map<string, string>;
}

const isDependents = /\.(?:wants|requires|upholds)$/;
const isUnit = /\.(?:service|timer|socket|path|mount|automount|swap|target|slice|scope|device)$/;
/** Of a unit file, searched for the section [Install]. */
const mostBytes = 65_536;
const atOnce = 32;

/**
 * The states of `systemctl is-enabled`, read from the directories of systemd. systemd itself searches all of them for each unit:
 * with 2,000 units the request blocked process 1 for half a minute.
 */
export function createUnitFileStates(files: Files, directories: UnitDirectories) {
  let snapshot: Snapshot | null = null;
  const installs = new Map<string, string>();

  function* scan(): Generator<void, Snapshot> {
    const decided = new Map<string, string>();
    const places = new Map<string, string>();
    const { lasting, runtime, transient, generated, vendor } = directories;
    const decide = (name: string, state: string) => {
      if (!decided.has(name)) decided.set(name, state);
    };
    for (const [among, suffix] of [
      [lasting, ''],
      [runtime, '-runtime'],
    ] as const)
      for (const directory of among) {
        let seen = 0;
        for (const name of files.entries(directory)) {
          seen += 1;
          if (seen % atOnce === 0) yield;
          if (isDependents.test(name)) {
            for (const enabled of files.entries(`${directory}/${name}`)) decide(enabled, `enabled${suffix}`);
          } else if (isUnit.test(name)) {
            const target = files.link(`${directory}/${name}`);
            if (target === '/dev/null') decided.set(name, `masked${suffix}`);
            // An alias enables its target.
            else if (target !== null && path.basename(target) !== name)
              decide(path.basename(target), `enabled${suffix}`);
            if (!places.has(name)) places.set(name, `${directory}/${name}`);
          }
        }
      }
    // Generators create .wants directories too.
    const wanted = new Set<string>();
    for (const [among, state] of [
      [transient, 'transient'],
      [generated, 'generated'],
      [vendor, null],
    ] as const)
      for (const directory of among)
        for (const name of files.entries(directory)) {
          if (state !== null && isDependents.test(name))
            for (const each of files.entries(`${directory}/${name}`)) wanted.add(each);
          if (!isUnit.test(name) || places.has(name)) continue;
          places.set(name, `${directory}/${name}`);
          if (state !== null) decide(name, state);
        }
    for (const name of wanted) decide(name, 'enabled-runtime');
    return { decided, places };
  }

  const stateOf = (name: string, { decided, places }: Snapshot): string | null => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    const place = places.get(name) ?? places.get(templateOf(name));
    if (place === undefined) return null;
    const install = installs.get(place) ?? parseInstall(files.plain(place, mostBytes) ?? '');
    installs.set(place, install);
    return install;
  };

  return {
    /** Yields between slices; null: the unit has no file. */
    *read(names: readonly string[]): Generator<void, Map<string, string | null>> {
      snapshot ??= yield* scan();
      const found = new Map<string, string | null>();
      for (const [at, name] of names.entries()) {
        found.set(name, stateOf(name, snapshot));
        if (at % atOnce === atOnce - 1) yield;
      }
      return found;
    },
    /** Drops the cached states. */
    forget() {
      snapshot = null;
      installs.clear();
    },
  };
}

/** `getty@.service` for `getty@tty1.service`, '' for units without an instance. */
function templateOf(name: string): string {
  const [, prefix, suffix] = /^([^@]+@).+(\.[a-z]+)$/.exec(name) ?? [];
  return prefix === undefined ? '' : `${prefix}${suffix}`;
}

/** State of a unit that is not enabled, from the section [Install] of its file. */
export function parseInstall(text: string): string {
  const section = /^\[Install\][ \t]*$([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(text)?.[1] ?? '';
  if (/^[ \t]*(?:WantedBy|RequiredBy|UpheldBy|Alias)[ \t]*=[ \t]*\S/m.test(section)) return 'disabled';
  return /^[ \t]*(?:Also|DefaultInstance)[ \t]*=[ \t]*\S/m.test(section) ? 'indirect' : 'static';
}
