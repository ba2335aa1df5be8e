import path from 'node:path';
import { openTokens } from '../../access/tokens/tokens.ts';
import type { Prompt } from '../../core/command.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import { scopes } from '../../features/index.ts';
import type { Host } from '../../host/host.ts';
import { messageOf } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { type openSettings, settingsFileName } from '../../settings/settings.ts';
import { openOwnSettings, owner } from '../command-settings.ts';
import type { CliContext } from '../context.ts';
import { createPrompt } from '../terminal.prompt.ts';
import type { BridgePlace } from './bridge-places.ts';
import { adoptedTokenName, bridgeScopes, type ImportPlan, planImport } from './import.plan.ts';
import { type FoundBridge, readBridge } from './import.read.ts';

interface ImportParts {
  places(host: Host): Promise<BridgePlace[]>;
  prompt(): Pick<Prompt, 'interactive' | 'line'>;
}

const usual: ImportParts = { places: bridgePlacesOf, prompt: createPrompt };

/** Shows what would be imported from System Bridge, and does it after consent. Nothing of System Bridge is changed. */
export async function importSystemBridge(
  { host, print, complain, isJson, answer }: Pick<CliContext, 'host' | 'print' | 'complain' | 'isJson' | 'answer'>,
  { yes = false }: { yes?: boolean },
  given: Partial<ImportParts> = {},
): Promise<void> {
  const parts = { ...usual, ...given };
  const bridge = findBridge(host, await parts.places(host), complain);
  const settings = await openOwnSettings(host, 'ERROR');
  const tokens = openTokens(scopes, host, complain);
  const plan = planImport(bridge.settings, bridge.identity, {
    settings: settings.current(),
    locks: settings.locks(),
    tokens,
    isDirectory: (place) => host.storage.isDirectory(place),
  });
  if (!isJson) for (const line of linesOf(bridge, plan)) print(line);
  const isAgreed = plan.taken.length > 0 && (yes || (!isJson && agreed(parts)));
  const backup = isAgreed ? await carryOut(host, plan, { settings, tokens }) : null;
  const { directory } = bridge;
  const { taken, leftOut: left_out } = plan;
  await answer({ directory, taken, left_out, done: isAgreed, backup }, endLines(plan, isAgreed, backup).join('\n'));
}

/** The first place that has settings; files that cannot be used are named. */
function findBridge(host: Host, places: readonly BridgePlace[], complain: (line: string) => void): FoundBridge {
  for (const place of places) {
    try {
      const bridge = readBridge(host, place);
      if (bridge !== null) return bridge;
    } catch (error) {
      complain(`System Bridge is not used: ${messageOf(error)}`);
    }
  }
  const looked = [...new Set(places.map(({ directory }) => directory))];
  throw new Error(`No settings of System Bridge 5 were found in ${looked.join(', ')}`);
}

async function carryOut(
  host: Host,
  { patch, secret, identity }: ImportPlan,
  { settings, tokens }: { settings: Awaited<ReturnType<typeof openSettings>>; tokens: ReturnType<typeof openTokens> },
): Promise<string | null> {
  const { storage, paths } = host;
  const file = path.join(paths.config, settingsFileName);
  const before = storage.read(file);
  const backup = before === null || Object.keys(patch).length === 0 ? null : `${file}.before-import`;
  if (backup !== null && before !== null) storage.write(backup, before);
  // The settings first: if they cannot be written, no token is added.
  if (Object.keys(patch).length > 0) await settings.update(patch, owner);
  if (secret !== null) tokens.adopt(adoptedTokenName, bridgeScopes, secret);
  if (identity !== null) await adoptIdentity(host, identity);
  return backup;
}

function agreed({ prompt }: ImportParts): boolean {
  const { interactive, line } = prompt();
  return interactive && /^y(es)?$/i.test(line('Take this over? Type yes: '));
}

function linesOf({ directory }: FoundBridge, plan: ImportPlan): string[] {
  return [
    `System Bridge 5 was found in ${directory}`,
    ...plan.taken.map((line) => `  + ${line}`),
    ...plan.leftOut.map((line) => `  - not taken: ${line}`),
  ];
}

function endLines({ taken, patch, secret }: ImportPlan, isDone: boolean, backup: string | null): string[] {
  if (taken.length === 0) return ['There is nothing to take over'];
  if (!isDone) return [`Nothing was changed. "${ownCommand('import system-bridge --yes')}" does it`];
  return [
    secret === null ? 'Done' : 'Done. Home Assistant keeps working with the token it has',
    ...(backup === null ? [] : [`The previous settings are in ${backup}`]),
    ...(patch.autostart
      ? [`A running Hostler now starts at login; if none is running, run "${ownCommand('service install')}"`]
      : []),
    'Stop System Bridge and turn off its automatic start, since both use the same port. Then start or restart Hostler',
  ];
}

const platforms: PerPlatform<BridgePlace[]> = {
  linux: async () => (await import('./legacy-paths.linux.ts')).linuxBridgePlaces,
  windows: async () => (await import('./legacy-paths.windows.ts')).windowsBridgePlaces,
};

async function bridgePlacesOf(host: Host): Promise<BridgePlace[]> {
  return (await loadFor(host, platforms))?.() ?? [];
}

const adopters: PerPlatform<void, [string]> = {
  linux: async () => (await import('../../host/linux/hardware/machine-uuid.ts')).adoptUuid,
};

/** Sets the identifier of this machine from the next start on. */
async function adoptIdentity(host: Host, uuid: string): Promise<void> {
  (await loadFor(host, adopters))?.(uuid);
}
