import type { HomeAssistant } from './home-assistant.ts';
import type { Machine } from './machine.ts';
import { machineAddress } from './network.ts';
import { secondsUntil } from './report.ts';

export interface FlowStep {
  flow_id: string;
  type: 'form' | 'menu' | 'external' | 'progress' | 'progress_done' | 'create_entry' | 'abort';
  url?: string;
  step_id?: string;
  reason?: string;
  errors?: Record<string, string> | null;
  description_placeholders?: Record<string, string> | null;
}

export interface ConfigEntry {
  entry_id: string;
  domain: string;
  title: string;
  state: string;
}

interface WaitingFlow {
  flow_id: string;
  handler: string;
  context: { source: string };
}

interface Issue {
  domain: string;
  translation_key: string;
  translation_placeholders: Record<string, string> | null;
}

const flows = '/api/config/config_entries/flow';

export const step = async (home: HomeAssistant, flow: string, input: unknown): Promise<FlowStep> =>
  (await home.rest<FlowStep>('POST', `${flows}/${flow}`, input)).body;

export const beginFlow = async (
  home: HomeAssistant,
  input: { handler: string; entry_id?: string },
): Promise<FlowStep> => (await home.rest<FlowStep>('POST', flows, input)).body;

/** Starts a flow and enters an address. */
export async function enterAddress(home: HomeAssistant, port: number, tls: boolean, entry?: string): Promise<FlowStep> {
  const handler = { handler: 'hostler', ...(entry !== undefined && { entry_id: entry }) };
  const { flow_id } = await beginFlow(home, handler);
  return step(home, flow_id, { host: machineAddress, port, tls });
}

/** Chooses pairing and answers the prompt on the machine, where the digits must be the same; what the flow shows then. */
export async function pair(home: HomeAssistant, machine: Machine, flow: string, isAllowed: boolean): Promise<FlowStep> {
  const shown = await step(home, flow, { next_step_id: 'pair' });
  const { digits } = shown.description_placeholders ?? {};
  if (shown.type !== 'progress' || digits === undefined) throw new Error(`no prompt: ${JSON.stringify(shown)}`);
  let prompt = '';
  // Within the first second an answer does not count.
  await Bun.sleep(1500);
  await secondsUntil('the same digits on the machine', async () => {
    prompt = await machine.command('approve');
    return prompt.includes(digits);
  });
  const id = /approve (?:--\w+ )*([\w-]{4,})/.exec(prompt)?.[1] ?? '';
  await machine.command('approve', ...(isAllowed ? [] : ['--deny']), id);
  let now = shown;
  await secondsUntil('the answer', async () => {
    now = (await home.rest<FlowStep>('GET', `${flows}/${flow}`)).body;
    if (now.type === 'progress_done') now = await step(home, flow, {});
    return now.type !== 'progress';
  });
  return now;
}

export async function flowsFrom(home: HomeAssistant, source: string): Promise<WaitingFlow[]> {
  const all = await home.ask<WaitingFlow[]>('config_entries/flow/progress');
  return all.filter(({ handler, context }) => handler === 'hostler' && context.source === source);
}

export async function entriesOf(home: HomeAssistant): Promise<ConfigEntry[]> {
  const { body } = await home.rest<ConfigEntry[]>('GET', '/api/config/config_entries/entry');
  return body.filter(({ domain }) => domain === 'hostler');
}

export const entryOf = async (home: HomeAssistant): Promise<ConfigEntry | null> => (await entriesOf(home))[0] ?? null;

export async function issuesOf(home: HomeAssistant): Promise<Issue[]> {
  const { issues } = await home.ask<{ issues: Issue[] }>('repairs/list_issues');
  return issues.filter(({ domain }) => domain === 'hostler');
}
