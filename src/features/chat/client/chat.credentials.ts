import path from 'node:path';
import { numberOf, textOf } from '@hostler/discord-rpc/values.ts';
import type { Host } from '../../../host/host.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { isObject } from '../../../lib/values.ts';

/** The user's application in the developer portal, as `hostler chat setup` writes it down. */
export interface Credentials {
  clientId: string;
  clientSecret: string;
}

export interface ChatTokens {
  access_token: string;
  refresh_token: string | null;
  /** Unix seconds. */
  expires_at: number;
}

export type SetUp =
  | { kind: 'ready'; credentials: Credentials; file: string }
  | { kind: 'absent' }
  | { kind: 'broken'; sentence: string };

/** The files of the chat in the state directory; only the owner can read them. */
export type ChatFiles = ReturnType<typeof chatFiles>;

export function chatFiles({ storage, paths }: Pick<Host, 'storage' | 'paths'>) {
  const file = path.join(paths.state, 'chat.json');
  // Written by hand, under the name that older services use.
  const older = path.join(paths.state, 'discord.json');
  const tokenFile = path.join(paths.state, 'chat-token.json');
  const all = [file, older, tokenFile];
  const write = (name: string, value: object) => {
    storage.prepareDirectory(paths.state);
    storage.write(name, `${JSON.stringify(value)}\n`);
  };
  return {
    /** Changes whenever the set-up does. */
    signature: () => `${storage.signature(file)} ${storage.signature(older)}`,
    setUp(): SetUp {
      for (const name of [file, older]) {
        const text = readQuietly(storage, name);
        if (text !== null) return parseSetUp(name, text);
      }
      return { kind: 'absent' };
    },
    write(credentials: Credentials): string {
      write(file, credentials);
      return file;
    },
    tokens: () => parseTokens(readQuietly(storage, tokenFile) ?? ''),
    storeTokens: (tokens: ChatTokens) => write(tokenFile, tokens),
    forgetTokens: () => storage.remove(tokenFile),
    /** Removes the set-up and the tokens; whether any existed. */
    forget(): boolean {
      const there = all.some((name) => storage.signature(name) !== null);
      for (const name of all) storage.remove(name);
      return there;
    },
  };
}

/** An unreadable file counts as one with invalid contents. */
function readQuietly(storage: Host['storage'], file: string): string | null {
  try {
    return storage.read(file);
  } catch {
    return '';
  }
}

function parseSetUp(file: string, text: string): SetUp {
  const value = parseObject(text);
  const clientId = textOf(value.clientId);
  const clientSecret = textOf(value.clientSecret);
  if (clientId !== null && clientSecret !== null)
    return { kind: 'ready', credentials: { clientId, clientSecret }, file };
  return {
    kind: 'broken',
    sentence: `${file} cannot be read, or holds no clientId and clientSecret; run "${ownCommand('chat setup')}" again`,
  };
}

function parseTokens(text: string): ChatTokens | null {
  const { access_token, refresh_token, expires_at } = parseObject(text);
  const access = textOf(access_token);
  if (access === null) return null;
  return { access_token: access, refresh_token: textOf(refresh_token), expires_at: numberOf(expires_at) ?? 0 };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
