import fs from 'node:fs';
import path from 'node:path';
import { createListeners } from '../../lib/listeners.ts';
import type { Storage } from '../storage.ts';

/** Programs of the user that outlive the service, such as a browser. */
export interface Launch {
  /**
   * Absolute path of a program on the user's PATH, or in one of the other places; null: it is not installed, or other users can replace every
   * copy of it.
   */
  find(name: string, places?: readonly string[]): string | null;
  /** The user's PATH for programs that search it themselves, without directories that other users can change. */
  searchPath(): string;
  /** Calls back, once for each place, with the sentence why a program or a directory is left out. */
  onRefused(refused: (sentence: string) => void): void;
  /**
   * Starts a program by its absolute path, with a fixed argument vector and nothing to read or write. Never a shell.
   * Resolves with its exit code, or with null when it still runs after a moment. Rejects when it cannot be started.
   * Neither it nor what it starts is ended with the service.
   */
  start(program: string, args: string[], options: LaunchOptions): Promise<number | null>;
}

export interface LaunchOptions {
  env: Record<string, string>;
  cwd: string;
  /** A program that has not failed by then is not awaited, ms. */
  momentMs: number;
}

/** `customary`: directories to search besides the PATH; `ending`: of the names of all programs, such as `.exe`. */
export function createLaunch(
  searched: string | null,
  customary: readonly string[],
  exposure: Storage['exposure'],
  ending = '',
): Launch {
  const own = (searched ?? '').split(path.delimiter).filter(path.isAbsolute);
  const directories = [...new Set([...own, ...customary])];
  const withEnding = (name: string) => (name.toLowerCase().endsWith(ending) ? name : `${name}${ending}`);
  const listeners = createListeners<[sentence: string]>();
  const refused = new Set<string>();
  const isSafe = (place: string) => {
    const exposed = exposure(place);
    if (exposed !== null && !refused.has(place)) {
      refused.add(place);
      listeners.announce(
        `programs: ${place} is not used, because other users can change it: ${exposed.problem}. Check it, then run "${exposed.fix}"`,
      );
    }
    return exposed === null;
  };
  return {
    find: (name, places = []) =>
      [...directories, ...places]
        .map((directory) => path.join(directory, withEnding(name)))
        .find((program) => isProgram(program) && isSafe(program)) ?? null,
    searchPath: () => directories.filter(isSafe).join(path.delimiter),
    onRefused: listeners.add,
    async start(program, args, { env, cwd, momentMs }) {
      if (!path.isAbsolute(program)) throw new Error(`"${program}" is not the absolute path of a program.`);
      if ([program, ...args].some((text) => text.includes('\0')))
        throw new Error(`A text for ${program} contains NUL.`);
      const { promise, resolve } = Promise.withResolvers<number | null>();
      const child = Bun.spawn([program, ...args], {
        env,
        cwd,
        detached: true,
        stdio: ['ignore', 'ignore', 'ignore'],
        onExit: (_child, code) => resolve(code ?? 1),
      });
      const timer = setTimeout(() => resolve(null), momentMs);
      // It must not keep a finished command alive.
      child.unref();
      return await promise.finally(() => clearTimeout(timer));
    },
  };
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
