import path from 'node:path';
import { actions } from '../actions/index.ts';
import type { Availability, ModuleState } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import { messageOf } from '../lib/errors.ts';
import { createLog, type Log } from '../lib/log.ts';
import type { Settings } from '../settings/settings.schema.ts';
import { openSettings, settingsFileName } from '../settings/settings.ts';
import { version } from '../version.ts';
import type { CliContext } from './context.ts';
import { moduleStates } from './modules.ts';
import { findService, type ServiceClient } from './running.ts';

interface ActionState {
  name: string;
  available: boolean;
  reason: string | null;
}

/** Everything there is, whether it works here, and what to do where it does not. */
export async function doctor(context: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const { host, print } = context;
  const complaints: string[] = [];
  const quiet = createLog(() => {}, 'ERROR');
  const note = (sentence: string) => void complaints.push(sentence);
  const log: Log = { ...quiet, warn: note, error: note };
  const settings = (await openSettings(host, log)).current();
  const service = await findService(host);
  const states = await moduleStates(host, service);
  const actionStates = await checkActions(host, settings, quiet);
  if (json) {
    const running =
      service === null ? null : { pid: service.info.pid, port: service.info.port, version: service.version };
    const { config, state } = host.paths;
    const found = { version, service: running, config, state, complaints, modules: states, actions: actionStates };
    return print(JSON.stringify(found, null, 2));
  }
  print(`Hostler ${version}`);
  print(serviceLine(service, context.command));
  for (const line of settingsLines(host, complaints)) print(line);
  print(stateLine(host));
  print('\nModules');
  for (const state of states) for (const line of moduleLines(state)) print(line);
  print('\nActions');
  for (const { name, available, reason } of actionStates) {
    print(mark(available ? '✓' : '✗', name, available ? 'available' : (reason ?? 'unavailable')));
  }
}

function serviceLine(service: ServiceClient | null, command: string): string {
  if (service === null) return mark('✗', 'service', `does not run; start it with "${command} serve"`);
  return mark('✓', 'service', `runs as process ${service.info.pid} on port ${service.info.port}`);
}

function settingsLines({ storage, paths }: Host, complaints: string[]): string[] {
  const file = path.join(paths.config, settingsFileName);
  if (complaints.length > 0) return complaints.map((complaint) => mark('✗', 'settings', complaint));
  return [mark('✓', 'settings', storage.signature(file) === null ? `defaults; there is no ${file}` : file)];
}

/** What the service would say when it starts. */
function stateLine({ storage, paths }: Host): string {
  try {
    if (storage.signature(paths.state) === null)
      return mark('✓', 'state', `${paths.state}; it is made at the first start`);
    storage.prepareDirectory(paths.state);
    const open = storage.openTo(paths.state);
    return open === null
      ? mark('✓', 'state', paths.state)
      : mark('!', 'state', `${paths.state} is not safe: ${open}. Use chmod 700 and chown`);
  } catch (error) {
    return mark(
      '✗',
      'state',
      `${paths.state} cannot be used: ${messageOf(error)}. Correct its rights, or SERVICE_STATE_DIR`,
    );
  }
}

function moduleLines({ name, availability, reasons }: ModuleState): string[] {
  const sentences = new Map<string, { fields: string[]; mendable: boolean }>();
  for (const { field, reason, mendable } of reasons) {
    const { fields } = sentences.get(reason) ?? { fields: [] };
    sentences.set(reason, { fields: [...fields, field ?? name], mendable });
  }
  return [
    mark(marks[availability], name, availability),
    ...[...sentences].map(
      ([reason, { fields, mendable }]) => `      ${mendable ? '!' : '·'} ${fields.join(', ')}: ${reason}`,
    ),
  ];
}

async function checkActions(host: Host, settings: Settings, log: Log): Promise<ActionState[]> {
  return await Promise.all(
    actions.map(async (action) => {
      const reason = await action.unavailable({ host, log, settings: () => settings });
      return { name: action.name, available: reason === null, reason };
    }),
  );
}

const marks: Record<Availability, string> = { available: '✓', degraded: '!', unavailable: '✗' };

const mark = (sign: string, name: string, text: string) => `  ${sign} ${name.padEnd(20)} ${text}`;
