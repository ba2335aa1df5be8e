import fs from 'node:fs';
import { followStream } from '../ffi.ts';
import type { OpenOutputPipe, OutputPipe } from '../processes/process-group.ts';
import { openPipe } from './pipe.ts';

/**
 * The runtime gives programs sockets as output, which cannot be opened by the names /dev/stdout and /dev/stderr, as scripts do. null: there is no
 * C library to create pipes, and sockets are used.
 */
export async function loadOutputPipes(): Promise<OpenOutputPipe | null> {
  try {
    const tried = openPipe();
    fs.closeSync(tried.read);
    fs.closeSync(tried.write);
    return openOutputPipe;
  } catch {
    return null;
  }
}

function openOutputPipe(): OutputPipe {
  const { read, write } = openPipe();
  let close = () => fs.closeSync(read);
  let isOwnOpen = true;
  return {
    descriptor: write,
    closeOwn() {
      if (isOwnOpen) fs.closeSync(write);
      isOwnOpen = false;
    },
    follow(received, ended) {
      close = followStream(
        read,
        (bytes) => received(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
        () => {
          close = () => {};
          ended();
        },
      );
    },
    close() {
      close();
      close = () => {};
    },
    // The process ends by process.exit.
    unref: () => {},
  };
}
