import { messageOf } from '../../lib/errors.ts';
import type { ThreadJob } from '../../lib/thread.ts';
import type { IssueOrder, ThreadReply } from './certificates.ts';

/** Makes one certificate in a thread of its own; see certificates.ts. */
export const issueInThread: ThreadJob = async (post, order) => {
  const reply = await work(order as IssueOrder);
  post(reply);
  return { receive() {} };
};

async function work(order: IssueOrder): Promise<ThreadReply> {
  try {
    return { issued: await (await import('./certificates.issue.ts')).issue(order) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
