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
        return `${directory} stays: it has another name than ours, so it may hold other things. Remove it yourself if nothing else is in it`;
      storage.removeDirectory(directory);
      return `${directory} was removed`;
    });
}
