export type SocketPlace =
  | { kind: 'absent' }
  /** It must not be used; `problem` completes "it is not used: …". */
  | { kind: 'refused'; problem: string }
  /** `path` is resolved, so that two names of one socket are equal. */
  | { kind: 'socket'; path: string };
