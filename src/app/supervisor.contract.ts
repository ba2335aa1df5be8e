/** The process that started this one and follows its state, such as systemd. */
export interface Supervisor {
  /** The interval of liveness messages, without which it restarts this process; null: not wanted. */
  watchdogMs: number | null;
  /** It serves, with a status line. Also after a reload. */
  ready(status: string): void;
  reloading(): void;
  stopping(): void;
  /** The event loop is running. */
  alive(): void;
}
