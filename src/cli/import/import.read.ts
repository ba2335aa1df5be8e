import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { isObject } from '../../lib/values.ts';
import type { BridgePlace } from './bridge-places.ts';
import { type BridgeCommand, type BridgeDirectory, bridgeSettingsSchema } from './import.schema.ts';

/** The settings of System Bridge 5. */
export interface BridgeSettings {
  /** The secret of its clients; null: it does not exist or is not used. */
  token: string | null;
  /** Why the token is not used; null: it is, or it does not exist. */
  tokenProblem: string | null;
  /** null: the default. */
  port: number | null;
  directories: BridgeDirectory[];
  commands: BridgeCommand[];
  autostart: boolean;
}

export interface FoundBridge extends BridgePlace {
  settings: BridgeSettings;
}

type Parts = Pick<Host, 'storage' | 'environment'>;

/** Larger than any of its files. */
const mostCharacters = 4 * 1024 * 1024;

/** null: it was never used here. Throws what is wrong with its files. */
export function readBridge(parts: Parts, place: BridgePlace): FoundBridge | null {
  const text = readText(parts, path.join(place.directory, 'settings.json'));
  const tokenFile = path.join(place.directory, 'token');
  const token = readText(parts, tokenFile)?.trim() || null;
  if (text === null && token === null) return null;
  const tokenProblem = token === null ? null : disclosure(parts.storage, tokenFile);
  // Its port is only set by a variable.
  const port = Number(parts.environment.variable('SYSTEM_BRIDGE_PORT'));
  const settings = {
    ...parseSettings(text ?? '{}', place.directory),
    token: tokenProblem === null ? token : null,
    tokenProblem,
    port: Number.isInteger(port) && port > 0 && port < 65_536 ? port : null,
  };
  return { ...place, settings };
}

/** A token that other users can read may already be known to them. */
function disclosure(storage: Parts['storage'], file: string): string | null {
  if (((storage.permissions(file) ?? 0) & 0o077) === 0) return null;
  return `other users can read it in ${file}; create a new one with "${ownCommand('token create')}" and enter it in Home Assistant, or, if no one else has used this machine, run "chmod 600 ${file}" and import again`;
}

function parseSettings(
  text: string,
  directory: string,
): Pick<BridgeSettings, 'directories' | 'commands' | 'autostart'> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`the settings in ${directory} are not JSON: ${messageOf(cause)}`, { cause });
  }
  const result = bridgeSettingsSchema.safeParse(inLowerCase(value));
  if (!result.success) throw new Error(`the settings in ${directory} do not have the format of System Bridge`);
  const { autostart, media, commands } = result.data;
  return { directories: media.directories, commands: commands.allowlist, autostart };
}

/** Deeper than its settings are nested. */
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
  if (text !== null && text.length > mostCharacters) throw new Error(`${file} is too large for a settings file`);
  return text;
}

/** It decides who has access and what may be run, so files that others could have written are not used. */
function refuseForeign(storage: Parts['storage'], file: string): void {
  if (storage.signature(file) === null) return;
  const exposure = storage.exposure(file) ?? storage.exposure(path.dirname(file));
  if (exposure !== null)
    throw new Error(
      `others could have written ${file} (${exposure.problem}). Delete it if it is not yours; otherwise check its content, then run "${exposure.fix}"`,
    );
}
