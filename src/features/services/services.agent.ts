import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { ownCommand } from '../../lib/own-command.ts';
import { quoted } from '../../lib/quoted.ts';
import type { ServiceOrderOutput, ServiceVerb } from './services.schema.ts';

const schemas = () => import('./services.schema.ts');

const tool: AgentTool = {
  name: 'control_service',
  title: 'Control a service',
  description: 'Controls an allow-listed service. Asks the user first.',
  input: async () => (await schemas()).controlServiceInputSchema,
  output: async () => (await schemas()).controlServiceOutputSchema,
  destructive: true,
  idempotent: false,
  byDefault: true,
  deadlineMs: 120_000,
  missing: ({ services }) =>
    services.allowlist.length > 0
      ? null
      : `control_service needs the names of services in the setting services.allowlist: ${ownCommand(`settings set services.allowlist '["nginx.service"]'`)}`,
  prompt: ({ action, unit }) => `An agent wants to ${String(action)} the service ${quoted(String(unit))}.`,
};

export const controlServiceUse = (verb: ServiceVerb): AgentUse<ServiceOrderOutput> => ({
  tool,
  choice: verb,
  toInput: ({ unit }) => ({ unit }),
  toOutput: ({ message, data: { unit } }) => ({ unit, message }),
});
