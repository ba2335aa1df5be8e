/** A thread of this process that is asked by messages. */
export interface Thread {
  send(message: unknown): void;
  /** Lets go of it: it ends when it can. Nothing is waited for, since it may be blocked in the kernel. */
  end(): void;
}

export interface ThreadEvents {
  message(message: unknown): void;
  /** It died by itself. */
  failed(reason: string): void;
}

/** Starts the thread for a job, by the name it has in `src/app/threads/thread.ts`; `data` goes along. */
export type StartThread = (job: string, data: unknown, events: ThreadEvents) => Promise<Thread>;

/** The other side: what a job does in its thread. */
export type ThreadJob = (
  post: (message: unknown, transfer?: ArrayBuffer[]) => void,
  data: unknown,
) => Promise<ThreadSide>;

export interface ThreadSide {
  receive(message: unknown): void | Promise<void>;
  /** Called once, when nobody wants it any more. */
  end?(): void;
}
