import fs from 'node:fs';
import path from 'node:path';

/**
 * Whether the programs a test needs are on this machine; if not, the reason for the skip is printed.
 * Where CI=true nothing may be skipped: a missing program is an error.
 *
 *     describe.skipIf(!needs('dbus-daemon'))('…', () => { … });
 */
export function needs(...programs: string[]): boolean {
  const missing = programs.filter((program) => findProgram(program) === null);
  if (missing.length === 0) return true;
  const reason = `${missing.join(', ')} not found`;
  if (process.env.CI === 'true') throw new Error(`${reason}: with CI=true every real part has to be there.`);
  console.warn(`skipped: ${reason}`);
  return false;
}

/** Absolute path of a program. Daemons are in sbin, which is not on every PATH. */
export function findProgram(program: string): string | null {
  if (path.isAbsolute(program)) return isProgram(program) ? program : null;
  const directories = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin'].filter(path.isAbsolute);
  return directories.map((directory) => path.join(directory, program)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
