import type { AgentUse } from '../../core/agent.ts';
import { quoted } from '../../lib/quoted.ts';
import type { ProcessSignalOutput } from './processes.control.schema.ts';
import type { BusiestProcesses, ProcessDetails } from './processes.schema.ts';

const schemas = () => import('./processes.schema.ts');
const controlSchemas = () => import('./processes.control.schema.ts');
const reading = { destructive: false, idempotent: true, byDefault: true } as const;

export const busiestUse: AgentUse<BusiestProcesses> = {
  tool: {
    name: 'busiest_processes',
    title: 'Busiest processes',
    description: 'Top five by CPU, memory, disk I/O.',
    input: async () => (await schemas()).noWordsSchema,
    output: async () => (await schemas()).busiestSchema,
    ...reading,
  },
  toInput: () => ({}),
  toOutput: ({ data }) => data,
};

export const getProcessUse: AgentUse<ProcessDetails> = {
  tool: {
    name: 'get_process',
    title: 'Process',
    description: 'One process: unit, container, files, I/O, GPU.',
    input: async () => (await schemas()).getProcessInputSchema,
    output: async () => (await schemas()).processDetailsSchema,
    ...reading,
  },
  toInput: ({ pid }) => ({ id: pid }),
  toOutput: ({ data }) => data,
};

export const controlProcessUse: AgentUse<ProcessSignalOutput> = {
  tool: {
    name: 'control_process',
    title: 'Control a process',
    description: 'Ends, stops or continues a process. Asks the user first.',
    input: async () => (await controlSchemas()).controlProcessInputSchema,
    output: async () => (await controlSchemas()).controlProcessOutputSchema,
    destructive: true,
    idempotent: false,
    byDefault: true,
    // The agent supplies the name, but a process with another name is not touched.
    prompt: ({ action, pid, start_time, name }) =>
      `An agent wants to ${words[String(action)] ?? String(action)} the process ${quoted(String(name))} (${Number(pid)}, start time ${Number(start_time)}).`,
  },
  toInput: ({ pid, start_time, name, action }) => ({ id: pid, start_time, name, signal: action }),
  toOutput: ({ message, data: { name, status } }) => ({ name, status, message }),
};

const words: Record<string, string> = {
  terminate: 'end',
  kill: 'kill, losing what it has not saved,',
  stop: 'stop',
  continue: 'continue',
};
