import { besideProgram, type ProgramFiles, type Replacement } from '../program-files.ts';

/**
 * Windows lets a program that runs be renamed, but not replaced: for a moment there is none under its name. What went wrong in between
 * is undone; a power cut at that moment leaves `hostler.exe.previous`, to be renamed by hand.
 */
export function replaceRunning(files: ProgramFiles): Replacement {
  /** One that still runs cannot be removed: it is moved on, and goes with the next update. */
  const clear = (file: string) => {
    try {
      files.remove(file);
    } catch {
      files.remove(`${file}.old`);
      files.rename(file, `${file}.old`);
    }
  };
  return {
    replace(program) {
      const { fresh, previous } = besideProgram(program);
      clear(previous);
      files.rename(program, previous);
      try {
        files.rename(fresh, program);
      } catch (error) {
        files.rename(previous, program);
        throw error;
      }
    },
    putBack(program) {
      const { fresh, previous } = besideProgram(program);
      clear(fresh);
      files.rename(program, fresh);
      files.rename(previous, program);
    },
  };
}
