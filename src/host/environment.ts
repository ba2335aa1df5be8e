import os from 'node:os';

export interface Environment {
  variable(name: string): string | null;
  home: string;
  userName: string;
  hostname(): string;
  /** Kernel release, such as 6.1.0-13-amd64. */
  kernel: string;
  /** The kernel's name of the architecture, such as x86_64. */
  machine: string;
  pid: number;
  /** Seconds since the boot, including sleep. */
  uptime(): number;
  /** Whether a process with this number exists and is ours. */
  isRunning(pid: number): boolean;
  /** Distinguishes processes that had the same number; null: no such process, or not available on this system. */
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
    // A container may run this process under a uid without an account.
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** A uid without an account, as in some containers, has no home; then the variables must name the directories. */
function homeFrom(variables: NodeJS.ProcessEnv): string {
  try {
    return variables.HOME || os.homedir();
  } catch {
    return '/nonexistent';
  }
}
