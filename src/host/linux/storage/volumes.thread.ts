import fs from 'node:fs';
import type { ThreadJob } from '../../../lib/thread.ts';
import { threadAnswers } from '../../../lib/thread-calls.ts';

/** How full a file system is, as `statfs` reports it. */
export const serveSpace: ThreadJob = async (post) => ({
  receive: threadAnswers(post, (place) => ({ ...fs.statfsSync(Buffer.from(place as Uint8Array)) })),
});
