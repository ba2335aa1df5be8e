import fs from 'node:fs';
import path from 'node:path';
import { allScopes } from '../../src/features/index.ts';
import { sha256 } from '../../src/lib/digest.ts';
import { until } from '../../test/real/harness/service.ts';
import { pause } from '../harness/harness.ts';
import { contentOf, remove, spoil, writeSomehow } from './files.ts';
import type { Junk } from './junk.ts';
import { type Surface, type Target, wrongTokens } from './surface.ts';

const granted = 'fuzz-secret-that-is-good-when-its-file-is';
const neverGranted = 'fuzz-secret-that-is-in-no-file-at-all-at-no-time';

/** tokens.json and tokens.d are junk while they are in use: junk grants no access, and after each round a valid token does. */
export const tokens: Surface = {
  name: 'tokens',
  by: 'unauthenticated',
  expected: [
    wrongTokens,
    /tokens?(?:\.json|\.d| in |\b.*(?:damaged|not used|cannot))/i,
    /(?:access|browsers)\b.*cannot/i,
  ],
  prepare(directory) {
    fs.mkdirSync(machineDirectory(directory), { recursive: true, mode: 0o755 });
  },
  async throwJunk(target) {
    const { junk, directory, isOver, sent, fault } = target;
    const own = path.join(directory, 'state', 'tokens.json');
    for (let round = 1; !isOver(); round++) {
      for (let count = 0; count < 20; count++) {
        const file = junk.chance(0.5) ? own : path.join(machineDirectory(directory), `${junk.below(5)}.json`);
        if (junk.chance(0.1)) spoil(file, junk);
        else {
          remove(file);
          writeSomehow(
            file,
            contentOf(junk, () => nearly(junk, file === own)),
            junk,
          );
        }
        sent();
        if ((await statusWith(target, neverGranted)) === 200) fault('a secret that no file ever named was taken');
        await statusWith(target, granted);
        if ((await statusWith(target, target.hostler.token)) !== 200) fault('the main token was refused');
        await pause(junk.below(100));
      }
      remove(machineDirectory(directory));
      fs.mkdirSync(machineDirectory(directory), { recursive: true, mode: 0o755 });
      remove(own);
      const good = {
        id: 'fuzz',
        name: 'fuzz',
        scopes: ['read'],
        kind: 'general',
        created: null,
        sha256: hashOf(granted),
      };
      writeSomehow(own, JSON.stringify({ tokens: [good] }), junk);
      const taken = await until(async () => ((await statusWith(target, granted)) === 200 ? true : null), 30_000).catch(
        () => false,
      );
      if (!taken) fault(`round ${round}: a good token file was not taken within 30 s`);
    }
  },
};

const machineDirectory = (directory: string) => path.join(directory, 'etc', 'hostler', 'tokens.d');
const hashOf = (secret: string) => sha256(secret).toString('hex');

function nearly(junk: Junk, isList: boolean): string {
  const entry = () => {
    const whole: Record<string, unknown> = {
      id: junk.chance(0.7) ? `id-${junk.below(5)}` : junk.value(1),
      name: junk.chance(0.7) ? `name ${junk.below(5)}` : junk.value(1),
      scopes: junk.chance(0.7) ? [junk.pick(allScopes), junk.text()] : junk.value(1),
      kind: junk.chance(0.7) ? 'general' : junk.value(1),
      created: junk.value(1),
      sha256: junk.chance(0.5) ? hashOf(granted) : junk.value(1),
    };
    for (const key of Object.keys(whole)) if (junk.chance(0.1)) delete whole[key];
    return whole;
  };
  return JSON.stringify(isList ? { tokens: Array.from({ length: junk.below(20) }, entry) } : entry());
}

async function statusWith({ hostler, answered }: Target, secret: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${hostler.port}/api/data/memory`, {
    headers: { 'X-API-Token': secret },
  }).catch(() => null);
  await response?.text();
  if (response !== null) answered(response.status, `a token, ${secret === granted ? 'good' : 'other'}`);
  return response?.status ?? 0;
}
