import { onTestFinished } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createFiles, type Files } from '../../src/host/linux/files.ts';

export interface MachineFiles extends Files {
  /** Where they really are. */
  root: string;
  write(file: string, content: string | Uint8Array): void;
  remove(file: string): void;
}

/** A machine with just these files, for one test. A value that begins with `-> ` is a symbolic link. */
export function machineFiles(contents: Record<string, string | Uint8Array>): MachineFiles {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-files-'));
  onTestFinished(() => fs.rmSync(root, { recursive: true, force: true }));
  const write = (file: string, content: string | Uint8Array) => {
    const place = path.join(root, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    if (typeof content === 'string' && content.startsWith('-> ')) fs.symlinkSync(content.slice(3), place);
    else fs.writeFileSync(place, content);
  };
  for (const [file, content] of Object.entries(contents)) write(file, content);
  const remove = (file: string) => fs.rmSync(path.join(root, file), { recursive: true, force: true });
  return { ...createFiles({ all: root }), root, write, remove };
}
