import path from 'node:path';
import type { Host } from '../../host/host.ts';

/**
 * Removes directories with their content. A directory with another name may hold other things, such as a whole home that a variable names:
 * it is left to the user.
 */
export function removeForGood({ storage }: Pick<Host, 'storage'>, directories: readonly string[]): string[] {
  return directories
    .filter((directory) => storage.signature(directory) !== null)
    .map((directory) => {
      if (path.basename(directory) !== 'hostler')
        return `${directory} was not removed: it is not named hostler, so it may hold other files. Remove it yourself if it holds nothing else`;
      storage.removeDirectory(directory);
      return `${directory} was removed`;
    });
}
