import path from 'node:path';
import type { Files } from '../../../host/linux/files.ts';
import type { LinuxEnvironment } from '../../../host/linux/linux-environment.ts';
import { runtimeDirectory } from '../../../host/linux/runtime-directory.ts';

/**
 * Whether units are started by themselves, in the words of `systemctl is-enabled`. Found in the directories of systemd rather than asked of it:
 * for each unit it would go through all of them, so that on a machine with 2,000 units the question held its first process up for half a minute.
 */
export interface UnitFileStates {
  /** In steps; null: such a unit has no file. */
  read(names: readonly string[]): Generator<void, Map<string, string | null>>;
  /** Something has changed there. */
  forget(): void;
}

/** Where the files lie. https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html#Unit%20File%20Load%20Path */
export interface UnitDirectories {
  /** Where units are enabled and masked, for good and until the machine is restarted. */
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

/** What stands in the directories at one moment. */
interface Standing {
  /** Enabled or masked, by name. */
  decided: Map<string, string>;
  /** Where the file of each name is; the first directory counts. */
  places: Map<string, string>;
}

const isDependents = /\.(?:wants|requires|upholds)$/;
const isUnit = /\.(?:service|timer|socket|path|mount|automount|swap|target|slice|scope|device)$/;
/** The longest that is looked into for its section [Install]. */
const mostBytes = 65_536;
const atOnce = 32;

export function createUnitFileStates(files: Files, directories: UnitDirectories): UnitFileStates {
  let standing: Standing | null = null;
  const installs = new Map<string, string>();

  function* look(): Generator<void, Standing> {
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
            // Another name of a unit is a way to enable it.
            else if (target !== null && path.basename(target) !== name)
              decide(path.basename(target), `enabled${suffix}`);
            if (!places.has(name)) places.set(name, `${directory}/${name}`);
          }
        }
      }
    // Generators link what they want as well.
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

  const stateOf = (name: string, { decided, places }: Standing): string | null => {
    const known = decided.get(name);
    if (known !== undefined) return known;
    const place = places.get(name) ?? places.get(templateOf(name));
    if (place === undefined) return null;
    const install = installs.get(place) ?? parseInstall(files.plain(place, mostBytes) ?? '');
    installs.set(place, install);
    return install;
  };

  return {
    *read(names) {
      standing ??= yield* look();
      const found = new Map<string, string | null>();
      for (const [at, name] of names.entries()) {
        found.set(name, stateOf(name, standing));
        if (at % atOnce === atOnce - 1) yield;
      }
      return found;
    },
    forget() {
      standing = null;
      installs.clear();
    },
  };
}

/** `getty@.service` for `getty@tty1.service`, and nothing for units without an instance. */
function templateOf(name: string): string {
  const [, prefix, suffix] = /^([^@]+@).+(\.[a-z]+)$/.exec(name) ?? [];
  return prefix === undefined ? '' : `${prefix}${suffix}`;
}

/** What a unit that nobody has enabled is called, by what its file says about installing it. */
export function parseInstall(text: string): string {
  const section = /^\[Install\][ \t]*$([\s\S]*?)(?=^\[|$(?![\s\S]))/m.exec(text)?.[1] ?? '';
  if (/^[ \t]*(?:WantedBy|RequiredBy|UpheldBy|Alias)[ \t]*=[ \t]*\S/m.test(section)) return 'disabled';
  return /^[ \t]*(?:Also|DefaultInstance)[ \t]*=[ \t]*\S/m.test(section) ? 'indirect' : 'static';
}
