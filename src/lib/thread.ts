/** A thread of this process that answers messages. */
export interface Thread {
  send(message: unknown): void;
  /** Requests the end of the thread. Does not wait, since it may be blocked in the kernel. */
  end(): void;
}

/** A thread that can take another job instead of ending. */
export interface StartedThread extends Thread {
  /** Ends the job; calls back once another one can be given. */
  free(freed: () => void): void;
  take(job: string, data: unknown, events: ThreadEvents): void;
}

/** The message of a thread that has ended its job. */
export const threadIsFree = 'hostler: this thread is free';

export interface ThreadEvents {
  message(message: unknown): void;
  /** The thread ended unexpectedly. */
  failed(reason: string): void;
}

/** Starts the thread for a job, by its name in `src/app/threads/thread.ts`, with `data`. */
export type StartThread<T extends Thread = Thread> = (job: string, data: unknown, events: ThreadEvents) => Promise<T>;

/** The other side: what a job does in its thread. */
export type ThreadJob = (
  post: (message: unknown, transfer?: ArrayBuffer[]) => void,
  data: unknown,
) => Promise<ThreadSide>;

export interface ThreadSide {
  receive(message: unknown): void | Promise<void>;
  /** Called once, when the thread is to end. */
  end?(): void;
}
