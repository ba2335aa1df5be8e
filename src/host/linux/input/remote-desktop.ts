/** What desktops offer to programs that control them from elsewhere. */
export interface RemoteDesktop {
  /** The user may be asked. Throws a sentence where that comes to nothing. */
  start(): Promise<void>;
  /** false: the desktop has ended it. */
  isOpen(): boolean;
  /** In the order of the calls. */
  key(keysym: number, isDown: boolean): Promise<unknown>;
  stop(): Promise<void>;
}
