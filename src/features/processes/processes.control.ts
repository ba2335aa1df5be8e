import { type ActionContext, defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { controlProcessUse } from './processes.agent.ts';
import type { ProcessControl } from './processes.contract.ts';
import type {
  ProcessIoniceInput,
  ProcessIoniceOutput,
  ProcessNiceInput,
  ProcessNiceOutput,
  ProcessSignalInput,
  ProcessSignalOutput,
  SignalVerb,
} from './processes.control.schema.ts';

const controls: PerPlatform<ProcessControl> = {
  linux: async () => (await import('./linux/processes.control.ts')).processControlLinux,
};
const what = 'Changing processes';
const schemas = () => import('./processes.control.schema.ts');
const unavailable = ({ host }: Pick<ActionContext, 'host'>) => unavailableFor(host, controls, what);
const scopes = ['processes'] as const;

const note = ({ log, caller }: ActionContext, did: string, id: number, name: string) =>
  log.info(
    `processes: ${caller.tokenName} at ${caller.connection().address} ${did} process ${id} (${JSON.stringify(name)})`,
  );

const processSignal = defineAction<ProcessSignalInput, ProcessSignalOutput>({
  name: 'process.signal',
  description: 'Ends, stops or continues a process, which its ID and its start time identify',
  input: async () => (await schemas()).processSignalInputSchema,
  output: async () => (await schemas()).processSignalOutputSchema,
  scopes,
  effect: 'disrupt',
  example: { id: 1234, start_time: 56_789, signal: 'terminate' },
  wire: { event: 'PROCESS_SIGNAL', reply: 'PROCESS_SIGNALLED' },
  agent: controlProcessUse,
  unavailable,
  async run({ id, start_time, signal, name: expected }, context) {
    const control = await requireFor(context.host, controls, what);
    const { name, status } = await control.signal({ id, start_time }, signal, expected);
    note(context, `sent "${signal}" to`, id, name);
    return { message: outcome(name, id, signal, status), data: { id, start_time, name, signal, status } };
  },
});

const sent: Record<SignalVerb, string> = {
  terminate: 'received SIGTERM',
  kill: 'was killed',
  stop: 'received SIGSTOP',
  continue: 'received SIGCONT',
};

function outcome(name: string, id: number, signal: SignalVerb, status: string): string {
  const who = `${JSON.stringify(name)} (${id})`;
  if (status === 'ended') return `${who} has ended`;
  const still = signal === 'continue' ? 'is' : 'is still';
  if (signal === 'stop' && status === 'stopped') return `${who} is stopped`;
  return `${who} ${sent[signal]} and ${still} ${status}`;
}

const processNice = defineAction<ProcessNiceInput, ProcessNiceOutput>({
  name: 'process.nice',
  description: 'Sets the CPU priority of a process, which its ID and its start time identify',
  input: async () => (await schemas()).processNiceInputSchema,
  output: async () => (await schemas()).processNiceOutputSchema,
  scopes,
  effect: 'write',
  example: { id: 1234, start_time: 56_789, nice: 10 },
  wire: { event: 'PROCESS_NICE', reply: 'PROCESS_NICE_SET' },
  unavailable,
  async run({ id, start_time, nice }, context) {
    const control = await requireFor(context.host, controls, what);
    const { name, nice: now } = await control.setNice({ id, start_time }, nice);
    note(context, `set nice ${nice} for`, id, name);
    const data = { id, start_time, name, nice: now };
    return { message: `${JSON.stringify(name)} (${id}) has the nice value ${now}`, data };
  },
});

const usualLevel = 4;

const processIonice = defineAction<ProcessIoniceInput, ProcessIoniceOutput>({
  name: 'process.ionice',
  description: 'Sets the disk priority of a process, which its ID and its start time identify',
  input: async () => (await schemas()).processIoniceInputSchema,
  output: async () => (await schemas()).processIoniceOutputSchema,
  scopes,
  effect: 'write',
  example: { id: 1234, start_time: 56_789, class: 'best_effort', level: 7 },
  wire: { event: 'PROCESS_IONICE', reply: 'PROCESS_IONICE_SET' },
  unavailable,
  async run({ id, start_time, class: ioClass, level = usualLevel }, context) {
    const control = await requireFor(context.host, controls, what);
    const given = ioClass === 'idle' ? null : level;
    const { name } = await control.setIoPriority({ id, start_time }, ioClass, given ?? 0);
    const words = given === null ? ioClass : `${ioClass} ${given}`;
    note(context, `set the I/O priority ${words} for`, id, name);
    const data = { id, start_time, name, class: ioClass, level: given };
    return { message: `${JSON.stringify(name)} (${id}) has the I/O priority ${words}`, data };
  },
});

export const processControls = [processSignal, processNice, processIonice] as const;
