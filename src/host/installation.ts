/** Being part of the user's desktop: started when they log in, and known by name. */
export interface Installation {
  state(): Promise<InstallationState>;
  /** Throws a sentence where the system does not let us. */
  setAutostart(isWanted: boolean): Promise<void>;
  /** Both: everything that being installed means; what was done, a sentence each. */
  install(): Promise<string[]>;
  remove(): Promise<string[]>;
}

export interface InstallationState {
  /** What is really going to happen at the next login. */
  startsAtLogin: boolean;
  /** It would be started, but the user has switched that off in the system's own list. */
  isSwitchedOff: boolean;
  /** For people, a line each. */
  lines: string[];
}
