import fs from 'node:fs';
import path from 'node:path';
import type { OwnProgram } from '../own-program.ts';
import { programFiles } from '../program-files.ts';
import { isOwnProgram } from './autostart.ts';
import { replaceRunning } from './replace-running.ts';

/** Unpacked from our zip, or from source. Both programs are replaced: the one with a console, and the quiet one beside it. */
export function findWindowsProgram(
  _host?: unknown,
  program = process.execPath,
  architecture: string = process.arch,
): OwnProgram {
  const directory = path.win32.dirname(program);
  const beside = ['hostler.exe', 'hostlerw.exe'].map((name) => ({
    entry: () => name,
    file: path.win32.join(directory, name),
  }));
  return {
    origin: isOwnProgram(program)
      ? {
          kind: 'archive',
          archive: (version) => `hostler-${version}-windows-${architecture}.zip`,
          programs: beside.filter(({ file }) => fs.existsSync(file)),
        }
      : { kind: 'managed', by: 'its source', file: () => null, command: () => 'git pull' },
    replacement: replaceRunning(programFiles),
    // Nothing restarts it here: whoever runs it is told.
    isRunBy: () => false,
  };
}
