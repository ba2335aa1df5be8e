import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { quoted } from '../../lib/quoted.ts';
import type { ContainerOutput } from './containers.schema.ts';
import type { ContainerVerb } from './containers.verbs.ts';

const schemas = () => import('./containers.schema.ts');

const controlContainer: AgentTool = {
  name: 'control_container',
  title: 'Control a container',
  description: 'Asks the user first.',
  input: async ({ choices, settings }) =>
    (await schemas()).controlContainerInputSchema(choices, settings.containers.allowlist),
  output: async () => (await schemas()).controlContainerOutputSchema,
  destructive: true,
  idempotent: true,
  byDefault: true,
  // Stopping a container may take long.
  deadlineMs: 100_000,
  missing: ({ containers }) =>
    containers.allowlist.length > 0
      ? null
      : `control_container needs the names of containers in the setting containers.allowlist: ${ownCommand(`settings set containers.allowlist '["NAME"]'`)}`,
  prompt: ({ action, name }) => `An agent wants to ${String(action)} the container ${quoted(String(name))}.`,
};

export const controlContainerUse = (verb: ContainerVerb): AgentUse<ContainerOutput> => ({
  tool: controlContainer,
  choice: verb,
  toInput: ({ name }) => ({ name }),
  toOutput: ({ message, data: { name, state } }) => ({ name, state, message }),
});
