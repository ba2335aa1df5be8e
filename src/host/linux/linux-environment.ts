import fs from 'node:fs';
import os from 'node:os';
import { createEnvironment, type Environment } from '../environment.ts';

export interface LinuxEnvironment extends Environment {
  /** The uid of this process; null: not available in the runtime. */
  uid: number | null;
}

export function createLinuxEnvironment(variables: NodeJS.ProcessEnv): LinuxEnvironment {
  const environment = createEnvironment(variables);
  const uid = process.getuid?.() ?? null;
  return {
    ...environment,
    uid,
    get userName() {
      return accountName(uid) ?? environment.userName;
    },
    machine: kernelMachine(),
    startOf,
  };
}

/** The runtime trusts the variable USER, which may be wrong or unset: the list of accounts comes first. */
function accountName(uid: number | null): string | null {
  try {
    return new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'm').exec(fs.readFileSync('/etc/passwd', 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** The runtime calls 64-bit ARM arm64, as macOS does; Linux calls it aarch64. */
function kernelMachine(): string {
  const machine = os.machine();
  return machine === 'arm64' ? 'aarch64' : machine;
}

/** Ticks since the boot, and which boot that was. Our own /proc, in which our process ids are valid. */
function startOf(pid: number): string | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything; the start is the 20th field after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return ticks === undefined ? null : `${fs.readFileSync(bootIdFile, 'utf8').trim()} ${ticks}`;
  } catch {
    return null;
  }
}

/** Whether this process has a controlling terminal: the fifth field after the name is its number. */
export function hasTerminal(): boolean {
  try {
    const text = fs.readFileSync('/proc/self/stat', 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[4] !== '0';
  } catch {
    return true;
  }
}

const bootIdFile = '/proc/sys/kernel/random/boot_id';
