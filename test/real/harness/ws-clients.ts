import fs from 'node:fs';
import path from 'node:path';
import type { z } from 'zod';

/** Files and settings that existing clients read. */
export const oddName = '1+1 = 100%.mp3';
export const nine = ['battery', 'cpu', 'disks', 'displays', 'gpus', 'media', 'memory', 'processes', 'system'];
export const echo = { id: 'echo', name: 'Echo', command: '/bin/echo', workingDir: '', arguments: ['hello', 'there'] };

export function prepare(directory: string): void {
  const music = path.join(directory, 'home', 'Music');
  fs.mkdirSync(music);
  fs.writeFileSync(path.join(music, oddName), 'la la la');
  fs.mkdirSync(path.join(music, 'Album'));
  fs.mkdirSync(path.join(directory, 'config'), { mode: 0o700 });
  fs.writeFileSync(
    path.join(directory, 'config', 'settings.json'),
    JSON.stringify({ commands: { allowlist: [{ ...echo, comment: 'a key that is not ours' }] } }),
  );
}

/** What would break a client. */
export const wrongIn = (schema: z.ZodType | undefined, value: unknown) => schema?.safeParse(value).error?.issues ?? [];
