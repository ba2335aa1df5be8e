import path from 'node:path';
import { actions } from '../actions/index.ts';
import { createLog } from '../core/log.ts';
import type { Availability, ModuleState } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import { defaultSettings } from '../settings/settings.defaults.ts';
import { openSettings, settingsFileName } from '../settings/settings.ts';
import { version } from '../version.ts';
import type { CliContext } from './context.ts';
import { moduleStates } from './modules.ts';
import { findService } from './running.ts';

interface ActionState {
  name: string;
  available: boolean;
  reason: string | null;
}

/** Everything there is, whether it works here, and what to do where it does not. */
export async function doctor(context: CliContext, { json = false }: { json?: boolean }): Promise<void> {
  const { host, print } = context;
  const service = await findService(host);
  const { states } = await moduleStates(context);
  const actionStates = await checkActions(host);
  const settingsFile = path.join(host.paths.config, settingsFileName);
  if (json) {
    const running = service === null ? null : { ...service.info, version: service.version };
    return print(
      JSON.stringify(
        {
          version,
          service: running,
          settings: settingsFile,
          state: host.paths.state,
          modules: states,
          actions: actionStates,
        },
        null,
        2,
      ),
    );
  }
  print(`Hostler ${version}`);
  print(
    mark(
      service === null ? '✗' : '✓',
      'service',
      service === null
        ? `does not run; start it with "${context.command} serve"`
        : `runs as process ${service.info.pid} on port ${service.info.port}`,
    ),
  );
  print(
    mark(
      '✓',
      'settings',
      host.storage.signature(settingsFile) === null ? `defaults; there is no ${settingsFile}` : settingsFile,
    ),
  );
  print(mark('✓', 'state', host.paths.state));
  print('\nModules');
  for (const state of states) for (const line of moduleLines(state)) print(line);
  print('\nActions');
  for (const { name, available, reason } of actionStates)
    print(mark(available ? '✓' : '✗', name, available ? 'available' : (reason ?? 'unavailable')));
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

async function checkActions(host: Host): Promise<ActionState[]> {
  const log = createLog(() => {}, 'ERROR');
  const settings = (await openSettings(host, log).catch(() => null))?.current() ?? defaultSettings;
  return await Promise.all(
    actions.map(async (action) => {
      const reason = await action.unavailable({ host, log, settings: () => settings });
      return { name: action.name, available: reason === null, reason };
    }),
  );
}

const marks: Record<Availability, string> = { available: '✓', degraded: '!', unavailable: '✗' };

const mark = (sign: string, name: string, text: string) => `  ${sign} ${name.padEnd(16)} ${text}`;
