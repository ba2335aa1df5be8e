/** Whoever started this process and wants to hear how it is doing, such as systemd. */
export interface Supervisor {
  /** How often it wants to hear from us, or it starts us anew; null: it does not. */
  watchdogMs: number | null;
  /** It serves, and what. Also after a reload. */
  ready(status: string): void;
  reloading(): void;
  stopping(): void;
  /** Our event loop still turns. */
  alive(): void;
}
