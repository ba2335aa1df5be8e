import path from 'node:path';

/** From the directory of a file up to the root. */
export function directoriesAbove(file: string, { dirname }: Pick<typeof path.posix, 'dirname'> = path): string[] {
  const above = dirname(file);
  return above === file ? [] : [above, ...directoriesAbove(above, { dirname })];
}
