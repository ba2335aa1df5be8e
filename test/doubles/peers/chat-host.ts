import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setPart } from '../../../src/core/part.ts';
import { chatConnection, createChat } from '../../../src/features/chat/client/chat.open.ts';
import { unixSockets } from '../../../src/features/chat/client/chat.sockets.ts';
import { createClock } from '../../../src/host/clock.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';
import { createStorage } from '../../../src/host/storage.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { fakeHost } from '../fake-host.ts';

/** A machine with a state directory, a runtime directory and real sockets; only the time may be simulated. */
export interface ChatMachine {
  host: LinuxHost;
  directory: string;
  state: string;
  /** Puts a file into the state directory, as a user would by hand. */
  put(name: string, value: unknown): void;
  remove(name: string): void;
  read(name: string): unknown;
  close(): Promise<void>;
}

export function chatMachine({
  clock = createClock(),
  variables = {},
}: {
  clock?: Clock;
  variables?: Record<string, string>;
} = {}): ChatMachine {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-chat-'));
  const state = path.join(directory, 'state');
  const runtime = path.join(directory, 'run');
  for (const made of [state, runtime]) fs.mkdirSync(made, { mode: 0o700 });
  // Sockets of the machine that runs the test must not be found: only the runtime directory counts.
  const storage = createStorage(() => null);
  const own = {
    ...storage,
    signature: (file: string) => (file.startsWith(directory) ? storage.signature(file) : null),
  };
  const fake = fakeHost({
    storage: own,
    paths: { config: path.join(directory, 'config'), state, runtime },
    connectLocal: connectVerified,
    environment: { variables },
  });
  const { paths, environment, connectLocal } = fake;
  const host: LinuxHost = new Proxy(fake, {
    get: (target, key) => (key === 'clock' ? clock : Reflect.get(target, key)),
  });
  const chat = createChat(
    { storage: own, paths, environment, clock, connectLocal },
    () => unixSockets({ paths, environment }),
    'hostler/test',
  );
  setPart(host, chatConnection, chat);
  return {
    host,
    directory: runtime,
    state,
    put: (name, value) => fs.writeFileSync(path.join(state, name), JSON.stringify(value), { mode: 0o600 }),
    remove: (name) => fs.rmSync(path.join(state, name), { force: true }),
    read: (name) =>
      fs.existsSync(path.join(state, name)) ? JSON.parse(fs.readFileSync(path.join(state, name), 'utf8')) : null,
    async close() {
      await chat.close();
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}
