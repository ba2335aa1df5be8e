import path from 'node:path';
import type { BridgePlace } from '../host/bridge-places.ts';
import type { DatabaseRow } from '../host/database.ts';
import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import { openFernet } from '../lib/fernet.ts';
import { isObject } from '../lib/values.ts';
import {
  type BridgeCommand,
  type BridgeDirectory,
  bridgeDirectoriesSchema,
  bridgeSettingsSchema,
} from './import.schema.ts';

/** What System Bridge was told. */
export interface BridgeSettings {
  /** The secret that its clients have; null: there is none, or it cannot be read. */
  token: string | null;
  /** null: the usual one. */
  port: number | null;
  directories: BridgeDirectory[];
  commands: BridgeCommand[];
  autostart: boolean;
}

export interface FoundBridge extends BridgePlace {
  settings: BridgeSettings;
}

type Parts = Pick<Host, 'storage' | 'databases' | 'environment'>;

/** Larger than any of theirs; none of it is worth more memory. */
const mostCharacters = 4 * 1024 * 1024;

/** null: that generation was never here. Throws what is wrong with its files, which are not ours to mend. */
export async function readBridge(parts: Parts, place: BridgePlace): Promise<FoundBridge | null> {
  const settings = await readers[place.generation](parts, place.directory);
  return settings === null ? null : { ...place, settings };
}

const readers: Record<BridgePlace['generation'], (parts: Parts, directory: string) => Promise<BridgeSettings | null>> =
  {
    5: async (parts, directory) => {
      const text = readText(parts, path.join(directory, 'settings.json'));
      const token = readText(parts, path.join(directory, 'token'))?.trim() || null;
      if (text === null && token === null) return null;
      const { port, token: within, ...rest } = parseSettings(text ?? '{}', directory);
      const given = Number(parts.environment.variable('SYSTEM_BRIDGE_PORT'));
      // Its port is said by a variable only.
      return {
        ...rest,
        token: token ?? within,
        port: Number.isInteger(given) && given > 0 && given < 65_536 ? given : port,
      };
    },
    4: async (parts, directory) => {
      const text = readText(parts, path.join(directory, 'settings.json'));
      return text === null ? null : parseSettings(text, directory);
    },
    3: async (parts, directory) => {
      const file = path.join(directory, 'systembridge.db');
      const tables = await readTables(parts, file, ['settings', 'secrets']);
      if (tables === null) return null;
      const settings = keyed(tables.settings);
      const secret = keyed(tables.secrets).get('api_key') ?? keyed(tables.secrets).get('token') ?? null;
      const key = readText(parts, path.join(directory, 'secret.key'))?.split('\n')[0] ?? null;
      return {
        token: secret === null || key === null ? null : await openFernet(key, secret),
        port: portOf(settings.get('port_api')),
        directories: bridgeDirectoriesSchema.parse(parsedOr(settings.get('additional_media_directories'), [])),
        commands: [],
        autostart: /^true$/i.test(settings.get('autostart') ?? ''),
      };
    },
    2: async (parts, directory) => {
      const tables = await readTables(parts, path.join(directory, 'system-bridge_v1.db'), ['setting']);
      if (tables === null) return null;
      const settings = keyed(tables.setting);
      return {
        token: settings.get('network-apiKey') ?? null,
        port: portOf(settings.get('network-apiPort')),
        directories: [],
        commands: [],
        autostart: /^true$/i.test(settings.get('general-launchOnStartup') ?? ''),
      };
    },
  };

function parseSettings(text: string, directory: string): BridgeSettings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`the settings in ${directory} are not JSON: ${messageOf(cause)}`, { cause });
  }
  const result = bridgeSettingsSchema.safeParse(inLowerCase(value));
  if (!result.success) throw new Error(`the settings in ${directory} are not what System Bridge writes`);
  const { api, autostart, media, commands } = result.data;
  return { token: api.token, port: api.port, directories: media.directories, commands: commands.allowlist, autostart };
}

/** Deeper than their settings go. */
function inLowerCase(value: unknown, depth = 10): unknown {
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.slice(0, 1000).map((inner) => inLowerCase(inner, depth - 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== '__proto__')
      .map(([key, inner]) => [key.toLowerCase(), inLowerCase(inner, depth - 1)]),
  );
}

function readText({ storage }: Parts, file: string): string | null {
  refuseForeign(storage, file);
  const text = storage.read(file);
  if (text !== null && text.length > mostCharacters) throw new Error(`${file} is larger than settings are`);
  return text;
}

async function readTables({ storage, databases }: Parts, file: string, tables: string[]) {
  if (storage.signature(file) === null) return null;
  refuseForeign(storage, file);
  return await databases.peek(file, tables);
}

/** It says who gets in and what may be run: what others could have written is not for us. */
function refuseForeign(storage: Parts['storage'], file: string): void {
  if (storage.signature(file) === null) return;
  const exposure = storage.exposure(file) ?? storage.exposure(path.dirname(file));
  if (exposure !== null)
    throw new Error(`others could have written ${file} (${exposure.problem}); mend that with "${exposure.mend}"`);
}

function keyed(rows: readonly DatabaseRow[] = []): Map<string, string> {
  return new Map(
    rows.flatMap(({ key, value }) => (typeof key === 'string' && typeof value === 'string' ? [[key, value]] : [])),
  );
}

const portOf = (text: string | undefined) => {
  const port = Number(text);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null;
};

/** They write it as JSON, or as Python shows a list. */
function parsedOr(text: string | undefined, otherwise: unknown): unknown {
  if (text === undefined) return otherwise;
  try {
    return inLowerCase(JSON.parse(text));
  } catch {
    return otherwise;
  }
}
