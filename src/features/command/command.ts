import { type ActionParts, defineAction } from '../../core/action.ts';
import { defineFeature } from '../../core/feature.ts';
import { ServiceError } from '../../lib/errors.ts';
import { commandUse } from './command.agent.ts';
import type { CommandInput, CommandOutput } from './command.schema.ts';

/** One for the service: it counts the running commands. */
const commands = async (parts: ActionParts) => (await import('./command.run.ts')).createCommands(parts);

export const commandExecute = defineAction<CommandInput, CommandOutput>({
  name: 'command.execute',
  description: 'Runs a program that the settings allow, and returns its output',
  input: async () => (await import('./command.schema.ts')).commandInputSchema,
  output: async () => (await import('./command.schema.ts')).commandOutputSchema,
  title: ({ commandID }, { commands: { allowlist } }) => allowlist.find(({ id }) => id === commandID)?.name,
  scopes: ['command'],
  effect: 'disrupt',
  example: { commandID: 'backup' },
  wire: {
    event: 'COMMAND_EXECUTE',
    reply: 'COMMAND_COMPLETED',
    notifications: ['COMMAND_EXECUTING', 'COMMAND_OUTPUT'],
  },
  agent: commandUse,
  entities: async () => (await import('./command.controls.ts')).commandEntities,
  unavailable: async ({ settings }) =>
    settings().commands.allowlist.length > 0
      ? null
      : 'No command is allowed yet; add one to commands.allowlist in the settings, on the machine itself',
  async run({ commandID, stream }, { settings, keep, caller, notify, orderSignal }) {
    const command = settings().commands.allowlist.find(({ id }) => id === commandID);
    if (command === undefined) throw notAllowed(commandID);
    return await (await keep(commands)).run(command, { caller, notify, orderSignal, stream: stream ?? false });
  },
});

function notAllowed(id: string): ServiceError {
  return new ServiceError(
    'not_found',
    `There is no command with the id ${JSON.stringify(id.slice(0, 100))} in commands.allowlist in the settings`,
    { subtype: 'COMMAND_NOT_FOUND' },
  );
}

export const commandFeature = defineFeature({
  name: 'command',
  title: 'Commands',
  actions: [commandExecute],
  settings: {
    commands: {
      schema: async () => (await import('./command.settings.schema.ts')).commandsSettingsSchema,
      defaults: { allowlist: [] },
      after: 'logFormat',
    },
  },
});
