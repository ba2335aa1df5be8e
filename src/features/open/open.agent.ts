import type { AgentTool, AgentUse } from '../../core/agent.ts';
import type { OpenOutput } from './open.schema.ts';

const openUrl: AgentTool = {
  name: 'open_url',
  title: 'Open an address',
  description: 'Opens an http, https or mailto address on the desktop.',
  input: async () => (await import('./open.schema.ts')).openUrlInputSchema,
  output: async () => (await import('./open.schema.ts')).openUrlOutputSchema,
  destructive: false,
  idempotent: false,
  byDefault: false,
};

export const openUse: AgentUse<OpenOutput> = {
  tool: openUrl,
  toInput: ({ url }) => ({ url }),
  toOutput: ({ data: { url } }) => ({ opened: url ?? '' }),
};
