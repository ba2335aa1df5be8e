/** Registers the service with the system, which starts it, and with the desktop. */
export interface Installation {
  state(): Promise<InstallationState>;
  /** Throws a sentence where the system refuses. */
  setAutostart(isWanted: boolean): Promise<void>;
  /** Everything that an installation does; returns what was done, a sentence each. */
  install(options: InstallOptions): Promise<string[]>;
  /** With `purge` also the account that was created for it, if any. */
  remove(options: RemoveOptions): Promise<string[]>;
  /** Restarts or starts it; resolves when it serves. Omitted: the system only starts it at login, and `launch` exists. */
  restart?(): Promise<string[]>;
  /** Starts it now as at login, where the system does not do that: then `restart` is omitted. Does not wait for it. */
  launch?(): Promise<void>;
  /** Obstacles for clients, such as a firewall, one line each; needs a query. Omitted: none. */
  reach?(): Promise<string[]>;
  /** The current state according to the system; takes a query. Omitted: none. */
  activity?(): Promise<InstallationActivity>;
  /** Whether it runs while no user is logged in. Omitted: there is no such choice. */
  linger?: { isOn(): Promise<boolean>; set(isWanted: boolean): Promise<void> };
  /** The last lines of the log that the system keeps, in the format of the log. */
  keptLog?(count: number): Promise<string[]>;
  /** Other remains, for complete removal. */
  leftovers?: readonly string[];
}

export interface InstallOptions {
  /** false: another service runs, which would conflict. */
  mayStart: boolean;
}

export interface RemoveOptions {
  purge: boolean;
}

export interface InstallationState {
  /** What will happen at the next login. */
  startsAtLogin: boolean;
  /** It would be started, but the user has switched that off in the system's list. */
  isSwitchedOff: boolean;
  lines: string[];
}

export interface InstallationActivity {
  /** As the system names it: `active`, `inactive`, `failed`, `activating` … */
  state: string;
  /** null: it has none now. */
  pid: number | null;
  /** Its status line. */
  status: string;
  /** How it ended last, as the system names it; `success` while it runs. */
  result: string;
  /** How often it was restarted after an unexpected end. */
  restarts: number;
}

/** Which one, where the system has several: the one that runs this process, the user's, or that of the machine. */
export type WhichInstallation = 'own' | 'user' | 'system';
