import path from 'node:path';
import type { Scope } from '../../access/scopes.ts';
import { checkTokenName } from '../../access/tokens/token-names.ts';
import type { Tokens } from '../../access/tokens/tokens.ts';
import { defaultSettings } from '../../features/index.ts';
import { messageOf } from '../../lib/errors.ts';
import { quoted } from '../../lib/quoted.ts';
import { isLocked, type SettingsLocks } from '../../settings/locks.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { BridgeSettings } from './import.read.ts';

/** What is imported, and what is not. No sentence contains a secret. */
export interface ImportPlan {
  /** What changes, a line each. */
  taken: string[];
  /** What is not imported, and why. */
  leftOut: string[];
  /** null: none is imported. */
  secret: string | null;
  /** The new identifier of this machine; null: unchanged. */
  identity: string | null;
  patch: {
    server?: { port: number };
    media?: Settings['media'];
    commands?: Settings['commands'];
    autostart?: true;
  };
}

export const adoptedTokenName = 'System Bridge';

/** What its clients could do there, without changing settings and tokens. */
export const bridgeScopes: Scope[] = ['read', 'files', 'media', 'notify', 'control', 'input', 'power', 'command'];

/** Its own have 36 characters. Shorter ones could be guessed. */
const shortestToken = 16;

export interface ImportTarget {
  settings: Settings;
  locks: SettingsLocks | null;
  tokens: Pick<Tokens, 'find' | 'list'>;
  isDirectory(place: string): boolean;
}

export function planImport(theirs: BridgeSettings, identity: string | undefined, target: ImportTarget): ImportPlan {
  const plan: ImportPlan = { taken: [], leftOut: [], secret: null, identity: null, patch: {} };
  planToken(plan, theirs, target);
  planIdentity(plan, identity, target);
  planPort(plan, theirs, target);
  planDirectories(plan, theirs, target);
  planCommands(plan, theirs, target);
  if (theirs.autostart && !target.settings.autostart) {
    if (isLocked(target.locks, 'autostart')) plan.leftOut.push('start at login: locked by the administrator');
    else {
      plan.taken.push('start at login');
      plan.patch.autostart = true;
    }
  }
  return plan;
}

function planToken(plan: ImportPlan, { token, tokenProblem }: BridgeSettings, { tokens }: ImportTarget): void {
  if (tokenProblem !== null) return void plan.leftOut.push(`token: ${tokenProblem}`);
  if (token === null) return void plan.leftOut.push('token: missing, or not readable');
  if (!/^[\x21-\x7e]{1,256}$/.test(token) || token.length < shortestToken)
    return void plan.leftOut.push(
      `token: it must have ${shortestToken} to 256 letters, digits and signs; set Home Assistant up with a new one`,
    );
  const known = tokens.find(token);
  if (known !== null) return void plan.leftOut.push(`token: present already, as "${known.name}"`);
  try {
    checkTokenName(adoptedTokenName, tokens.list());
  } catch (error) {
    return void plan.leftOut.push(`token: ${messageOf(error)}`);
  }
  plan.secret = token;
  plan.taken.push(`token, as "${adoptedTokenName}", for: ${bridgeScopes.join(', ')}`);
}

/** Home Assistant identifies its entities by it. MQTT clients that know the identifier of Hostler would see another machine. */
function planIdentity(plan: ImportPlan, identity: string | undefined, { settings }: ImportTarget): void {
  if (identity === undefined) return;
  const shown = `identifier ${identity}, by which Home Assistant knows its entities, and which the network then sees even if it is the machine id`;
  if (settings.mqtt.url !== '')
    return void plan.leftOut.push(`${shown}: MQTT already uses another identifier for this machine`);
  plan.identity = identity;
  plan.taken.push(shown);
}

function planPort(plan: ImportPlan, { port }: BridgeSettings, { settings, locks }: ImportTarget): void {
  const { port: own } = settings.server;
  if (port === null || port === own) return;
  if (isLocked(locks, 'server.port')) return void plan.leftOut.push(`port ${port}: locked by the administrator`);
  if (own !== defaultSettings.server.port)
    return void plan.leftOut.push(`port ${port}: this Hostler is configured for port ${own}`);
  plan.taken.push(`port ${port} instead of ${own}, from the next start on`);
  plan.patch.server = { port };
}

function planDirectories(plan: ImportPlan, { directories }: BridgeSettings, target: ImportTarget): void {
  const all = [...target.settings.media.directories];
  if (directories.length > 0 && isLocked(target.locks, 'media.directories'))
    return void plan.leftOut.push('directories: locked by the administrator');
  for (const { name, path: place } of directories) {
    const shown = `directory ${quoted(name)}: ${quoted(place)}`;
    if (all.some((known) => path.resolve(known.path) === path.resolve(place))) continue;
    if (!path.isAbsolute(place) || place.split(/[\\/]/).includes('..'))
      plan.leftOut.push(`${shown} is not an absolute path`);
    else if (all.some((known) => known.name === name))
      plan.leftOut.push(`${shown}: another directory has this name here`);
    else if (!target.isDirectory(place)) plan.leftOut.push(`${shown} does not exist`);
    else if (all.length >= mostDirectories) plan.leftOut.push(`${shown}: there are ${mostDirectories} already`);
    else {
      all.push({ name, path: place });
      plan.taken.push(shown);
    }
  }
  if (all.length > target.settings.media.directories.length) plan.patch.media = { directories: all };
}

/** In the form of the settings. */
const mostDirectories = 100;
const mostCommands = 1000;

function planCommands(plan: ImportPlan, { commands }: BridgeSettings, target: ImportTarget): void {
  const all = [...target.settings.commands.allowlist];
  if (commands.length > 0 && isLocked(target.locks, 'commands.allowlist'))
    return void plan.leftOut.push('commands: locked by the administrator');
  for (const command of commands) {
    const words = [command.command, ...command.arguments].map(quoted).join(' ');
    const shown = `command ${quoted(command.id)}: ${words}${command.workingDir && ` in ${quoted(command.workingDir)}`}`;
    const known = all.find(({ id }) => id === command.id);
    if (known !== undefined) {
      if (known.command !== command.command || known.arguments.join('\0') !== command.arguments.join('\0'))
        plan.leftOut.push(`${shown}: another one has this id here`);
    } else if (!path.isAbsolute(command.command)) plan.leftOut.push(`${shown} is not an absolute path`);
    else if (all.length >= mostCommands) plan.leftOut.push(`${shown}: there are ${mostCommands} already`);
    else {
      all.push(command);
      plan.taken.push(shown);
    }
  }
  if (all.length > target.settings.commands.allowlist.length) plan.patch.commands = { allowlist: all };
}
