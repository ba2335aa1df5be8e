import path from 'node:path';
import { startThread } from '../../src/app/threads/start-thread.ts';
import { findServed } from '../../src/core/files/served-paths.ts';
import { createClock } from '../../src/host/clock.ts';
import { createContained } from '../../src/host/linux/storage/contained.ts';
import { createOwnPlaces } from '../../src/host/own-directories.ts';

/** Says why the service, with its directories in the one that is named, does not serve what is mounted at music/bound. */
const [, , home = ''] = process.argv;
const clock = createClock();
const paths = { config: path.join(home, 'config'), state: path.join(home, 'state'), runtime: null };
const contained = createContained(clock, startThread, createOwnPlaces(paths, clock));
const base = { key: 'music', name: 'Music', path: path.join(home, 'music') };
const look = async (file: string) => {
  const found = await findServed(contained, true, base, file);
  return typeof found === 'string' ? found : 'served';
};
process.stdout.write(`${await look('bound')} ${await look('bound/tokens.json')}\n`);
