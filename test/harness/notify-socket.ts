import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { socketAddress } from '../../src/app/supervisor.linux.ts';
import { address, pinned } from '../../src/host/ffi.ts';
import { libc } from '../../src/host/linux/libc.ts';

/** Receives what services send to systemd, in its place. */
export interface NotifySocket extends Disposable {
  /** As NOTIFY_SOCKET has it. */
  name: string;
  /** What has arrived since it was opened. */
  messages(): string[];
}

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;

export function openNotifySocket({ isAbstract = false } = {}): NotifySocket {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-notify-'));
  const name = isAbstract ? `@${directory}` : path.join(directory, 'socket');
  const place = socketAddress(name);
  if (place === null) throw new Error(`${name} is too long for a socket`);
  const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (libc.bind(descriptor, address(place), place.length) !== 0) throw new Error(`${name} cannot be bound`);
  const memory = pinned(4096);
  const all: string[] = [];
  return {
    name,
    messages() {
      for (;;) {
        const count = Number(libc.recv(descriptor, address(memory), memory.length, MSG_DONTWAIT));
        if (count < 0) return [...all];
        all.push(new TextDecoder().decode(memory.slice(0, count)));
      }
    },
    [Symbol.dispose]() {
      fs.closeSync(descriptor);
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
