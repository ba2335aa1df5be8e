import type { Instance } from './single-instance.windows.ts';

/** Windows takes names of 260 characters; the end of a path tells more than its beginning. */
const longest = 200;

/** One service for each state directory, and so for each user, in a session of theirs. A name must not have a backslash. */
export function holdInstance(instance: Instance, state: string): boolean {
  const place = state.toLowerCase().replaceAll('\\', '/').slice(-longest);
  return instance.hold(`Local\\hostler ${place}`);
}
