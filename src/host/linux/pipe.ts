import fs from 'node:fs';
import { address, pinned } from '../ffi.ts';
import { libc } from './libc.ts';

const O_CLOEXEC = 0o2000000;
const F_SETFL = 4;

/** The write end goes to another program, which may expect a blocking pipe. */
export function openPipe() {
  const ends = pinned(8);
  if (libc.pipe2(address(ends), O_CLOEXEC) !== 0) throw new Error('the system refused to create a pipe');
  const view = new DataView(ends.buffer);
  const [read, write] = [view.getInt32(0, true), view.getInt32(4, true)];
  neverWait(read);
  return { read, write };
}

export function neverWait(descriptor: number): void {
  libc.fcntl(descriptor, F_SETFL, fs.constants.O_NONBLOCK);
}
