import fs from 'node:fs';
import os from 'node:os';
import { createEnvironment, type Environment } from '../environment.ts';

export interface LinuxEnvironment extends Environment {
  /** The number of the user we run as; null: the runtime does not tell. */
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
  };
}

/** The runtime believes the variable USER, which whoever starts us may have set, or not: the list of accounts comes first. */
function accountName(uid: number | null): string | null {
  try {
    return new RegExp(`^([^:\\n]+):[^:\\n]*:${uid}:`, 'm').exec(fs.readFileSync('/etc/passwd', 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** The runtime calls 64-bit ARM arm64, as macOS does; Linux itself says aarch64. */
function kernelMachine(): string {
  const machine = os.machine();
  return machine === 'arm64' ? 'aarch64' : machine;
}
