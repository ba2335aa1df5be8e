import os from 'node:os';

export interface Environment {
  variable(name: string): string | null;
  home: string;
  userName: string;
  hostname(): string;
  /** Kernel release, such as 6.1.0-13-amd64. */
  kernel: string;
  /** What the kernel calls this kind of machine, such as x86_64. */
  machine: string;
  pid: number;
  /** Seconds since the machine was started, those that it slept included. */
  uptime(): number;
  /** Whether a process with this number exists and is ours. */
  isRunning(pid: number): boolean;
  /** Tells processes that had the same number apart; null: there is none, or this system does not say. */
  startOf(pid: number): string | null;
}

export function createEnvironment(variables: NodeJS.ProcessEnv): Environment {
  return {
    variable: (name) => variables[name] || null,
    home: homeFrom(variables),
    get userName() {
      return userName();
    },
    hostname: () => os.hostname(),
    kernel: os.release(),
    machine: os.machine(),
    pid: process.pid,
    uptime: () => os.uptime(),
    isRunning(pid) {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    },
    startOf: () => null,
  };
}

function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    // A container may run us under a number that no user has.
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** A number without an account, as in some containers, has no home; then the directories have to be named. */
function homeFrom(variables: NodeJS.ProcessEnv): string {
  try {
    return variables.HOME || os.homedir();
  } catch {
    return '/nonexistent';
  }
}
