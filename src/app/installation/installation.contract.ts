/** Being started by the system, and known to the desktop by name. */
export interface Installation {
  state(): Promise<InstallationState>;
  /** Throws a sentence where the system does not let us. */
  setAutostart(isWanted: boolean): Promise<void>;
  /** Everything that being installed means; what was done, a sentence each. */
  install(options: InstallOptions): Promise<string[]>;
  /** With `purge` also the account that was made for it, if one was. */
  remove(options: RemoveOptions): Promise<string[]>;
  /** Starts it anew, or for the first time; resolves when it serves. Left out: the system only starts it at login, and `launch` is there. */
  restart?(): Promise<string[]>;
  /** Starts it now as it would be started at login, where the system does not do that itself: then `restart` is left out. Not waited for. */
  launch?(): Promise<void>;
  /** What else stands between it and those who want to reach it, a line each; it takes asking. Left out: nothing. */
  reach?(): Promise<string[]>;
  /** What the system knows of it at this moment; it takes asking. Left out: nothing. */
  activity?(): Promise<InstallationActivity>;
  /** Whether it runs while nobody is logged in. Left out: there is no such choice. */
  linger?: { isOn(): Promise<boolean>; set(isWanted: boolean): Promise<void> };
  /** The last lines of the log that the system has kept, as the log has them. */
  keptLog?(count: number): Promise<string[]>;
  /** What else is left of it, to be removed for good. */
  leftovers?: readonly string[];
}

export interface InstallOptions {
  /** False: another one runs, which would be in its way. */
  mayStart: boolean;
}

export interface RemoveOptions {
  purge: boolean;
}

export interface InstallationState {
  /** What is really going to happen at the next login. */
  startsAtLogin: boolean;
  /** It would be started, but the user has switched that off in the system's own list. */
  isSwitchedOff: boolean;
  /** For people, a line each. */
  lines: string[];
}

export interface InstallationActivity {
  /** In the words of the system: `active`, `inactive`, `failed`, `activating` … */
  state: string;
  /** null: it has none now. */
  pid: number | null;
  /** What it says of itself. */
  status: string;
  /** How it ended last, in the words of the system; `success` while it runs. */
  result: string;
  /** How often it was started anew because it had ended by itself. */
  restarts: number;
}

/** Which one, where the system has several: the one that runs this process, the user's, or that of the machine. */
export type WhichInstallation = 'own' | 'user' | 'system';
