import { defineAction } from '../../core/action.ts';
import { shownAddress } from '../../core/caller.ts';
import { type PausedControl, pauseSentence } from '../../core/control-pause.ts';
import { defineFeature } from '../../core/feature.ts';
import { controlCommands } from './control.commands.ts';
import type { ControlPauseInput, ControlState } from './control.schema.ts';

const common = {
  output: async () => (await import('./control.schema.ts')).controlStateSchema,
  // Not refused by a pause: it ends the pause.
  duringPause: true,
  unavailable: async () => null,
} as const;

const noInput = async () => (await import('./control.schema.ts')).controlNoInputSchema;

const controlPause = defineAction<ControlPauseInput, ControlState>({
  ...common,
  name: 'control.pause',
  description: 'Pauses control of this machine: actions are refused and reading goes on',
  input: async () => (await import('./control.schema.ts')).controlPauseInputSchema,
  scopes: ['admin'],
  effect: 'write',
  example: { seconds: 3600 },
  wire: { event: 'CONTROL_PAUSE', reply: 'CONTROL_PAUSED' },
  async run({ seconds }, { caller, controlPause: pause, history, log }) {
    const { paused, unsaved } = pause.pause(seconds ?? null, caller.tokenName);
    log.info(`control: ${caller.tokenName} at ${shownAddress(caller.connection().address)} paused control`);
    history.note('access', `Control was paused with the token ${JSON.stringify(caller.tokenName.slice(0, 64))}`);
    const end =
      unsaved === null ? '' : `. It ends when Hostler stops or restarts, because it cannot be saved: ${unsaved}`;
    return { message: `${pauseSentence(paused)}${end}`, data: stateOf(paused) };
  },
});

const controlResume = defineAction<object, ControlState>({
  ...common,
  name: 'control.resume',
  description: 'Ends the pause of control',
  input: noInput,
  scopes: ['admin'],
  effect: 'write',
  example: {},
  wire: { event: 'CONTROL_RESUME', reply: 'CONTROL_RESUMED' },
  async run(_input, { caller, controlPause: pause, history, log }) {
    if (!pause.resume()) return { message: 'Control was not paused', data: stateOf(null) };
    log.info(`control: ${caller.tokenName} at ${shownAddress(caller.connection().address)} resumed control`);
    history.note('access', `Control was resumed with the token ${JSON.stringify(caller.tokenName.slice(0, 64))}`);
    return { message: 'Control was resumed', data: stateOf(null) };
  },
});

const controlGet = defineAction<object, ControlState>({
  ...common,
  name: 'control.get',
  description: 'Returns whether control is paused',
  input: noInput,
  scopes: ['read', 'admin'],
  effect: 'read',
  readAt: '/api/control',
  example: {},
  wire: { event: 'GET_CONTROL', reply: 'CONTROL' },
  run: async (_input, { controlPause: pause }) => ({ message: '', data: stateOf(pause.current()) }),
});

export const controlActions = [controlPause, controlResume, controlGet];

function stateOf(paused: PausedControl | null): ControlState {
  if (paused === null) return { paused: false, since: null, until: null, by: null };
  const { since, until, by } = paused;
  return { paused: true, since: iso(since), until: until === null ? null : iso(until), by };
}

const iso = (ms: number) => new Date(ms).toISOString();

export const controlFeature = defineFeature({
  name: 'control',
  title: 'Control pause',
  actions: controlActions,
  commands: controlCommands,
});
