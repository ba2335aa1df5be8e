/** What lies at the path of a socket. */
export type SocketPlace =
  | { kind: 'absent' }
  /** Something is there that must not be used; `problem` completes "it cannot be used: …". */
  | { kind: 'refused'; problem: string }
  /** `path` leads there directly, so that two names of one socket are seen to be one. */
  | { kind: 'socket'; path: string };
