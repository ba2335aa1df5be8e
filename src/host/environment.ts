import fs from 'node:fs';
import os from 'node:os';

export interface Environment {
  variable(name: string): string | null;
  home: string;
  uid: number | null;
  userName: string;
  hostname(): string;
  /** Kernel release, such as 6.1.0-13-amd64. */
  kernel: string;
  /** Kernel machine name, such as x86_64. */
  machine: string;
  pid: number;
  /** Whether a process with this number exists and is ours. */
  isRunning(pid: number): boolean;
}

export function createEnvironment(variables: NodeJS.ProcessEnv): Environment {
  return {
    variable: (name) => variables[name] || null,
    home: homeFrom(variables),
    uid: process.getuid?.() ?? null,
    get userName() {
      return accountName(process.getuid?.() ?? null);
    },
    hostname: () => os.hostname(),
    kernel: os.release(),
    machine: kernelMachine(),
    pid: process.pid,
    isRunning(pid) {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    },
  };
}

/** The runtime believes the variable USER, which whoever starts us may have set, or not: the list of accounts comes first. */
function accountName(uid: number | null): string {
  try {
    const account = new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'm').exec(fs.readFileSync('/etc/passwd', 'utf8'));
    if (account?.[1] !== undefined) return account[1];
  } catch {
    // Not every system has it.
  }
  try {
    return os.userInfo().username;
  } catch {
    // A container may run us under a number that no user has.
    return String(uid ?? 'unknown');
  }
}

/** The runtime calls 64-bit ARM arm64, as macOS does; Linux itself says aarch64. */
function kernelMachine(): string {
  const machine = os.machine();
  return machine === 'arm64' && os.type() === 'Linux' ? 'aarch64' : machine;
}

/** A number without an account, as in some containers, has no home; then the directories have to be named. */
function homeFrom(variables: NodeJS.ProcessEnv): string {
  try {
    return variables.HOME || os.homedir();
  } catch {
    return '/nonexistent';
  }
}
