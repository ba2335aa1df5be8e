import fs from 'node:fs';
import type { ThreadJob } from '../../../lib/thread.ts';
import { threadAnswers } from '../../../lib/thread-calls.ts';

/** Closes descriptors whose socket or file system can make that wait. */
export const closeInThread: ThreadJob = async (post) => ({
  receive: threadAnswers(post, (descriptor) => fs.closeSync(descriptor as number)),
});
