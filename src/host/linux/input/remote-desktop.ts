/** Remote control of a desktop. */
export interface RemoteDesktop {
  /** May prompt the user. Throws a sentence on failure or refusal. */
  start(): Promise<void>;
  /** false: the desktop has ended it. */
  isOpen(): boolean;
  /** In the order of the calls. */
  key(keysym: number, isDown: boolean): Promise<unknown>;
  stop(): Promise<void>;
}
