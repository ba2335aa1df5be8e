import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { findProgram, needs } from '../harness/parts.ts';

/** A libnvidia-ml.so.1 built for one test. */
export interface FakeNvml {
  directory: string;
  library: string;
  set(state: State): void;
  remove(): void;
}

export interface State {
  /** Code of nvmlInit. */
  init?: number;
  count?: number;
  /** Which GPU is lost. */
  lost?: number;
  /** Code of every reading. */
  reading?: number;
  /** Milliseconds each reading takes. */
  delay?: number;
}

export const hasCompiler = () => needs('cc');

export function createFakeNvml({ old = false } = {}): FakeNvml {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-nvml-'));
  const library = path.join(directory, 'libnvidia-ml.so.1');
  const stateFile = path.join(directory, 'state');
  const source = path.join(import.meta.dirname, 'fake-nvml.c');
  const options = ['-shared', '-fPIC', '-O1', `-DSTATE="${stateFile}"`, ...(old ? ['-DOLD'] : [])];
  execFileSync(findProgram('cc') ?? 'cc', [...options, '-o', library, source], { stdio: 'inherit' });
  return {
    directory,
    library,
    set({ init = 0, count = 1, lost = -1, reading = 0, delay = 0 }) {
      fs.writeFileSync(stateFile, `${init} ${count} ${lost} ${reading} ${delay}\n`);
    },
    remove: () => fs.rmSync(directory, { recursive: true, force: true }),
  };
}
