import { defineAction } from '../../core/action.ts';
import type { Caller } from '../../core/caller.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { grantCommand, hasScope } from '../../core/require-scope.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { AudioControl } from './audio.contract.ts';

const name = 'audio.control';
const controls: PerPlatform<AudioControl> = {
  linux: async () => (await import('./audio.control.linux.ts')).audioControlLinux,
  windows: async () => (await import('./audio.control.windows.ts')).audioControlWindows,
};

/** The scope media is for what is heard at the machine, not for who hears its user. */
function requireMicrophone(caller: Caller): void {
  if (hasScope(caller, 'control')) return;
  const command = grantCommand(caller, 'control');
  throw new ServiceError(
    'forbidden',
    `Unmuting a microphone needs the scope "control", which the token ${JSON.stringify(caller.tokenName)} lacks${command === null ? '' : `; "${command}" on the machine grants it`}`,
  );
}

export const audioControl = defineAction({
  name,
  description:
    'Sets the volume and mute state of outputs, inputs and programs, and the default devices; what unmutes an input needs the scope control as well',
  input: async () => (await import('./audio.schema.ts')).audioControlInputSchema,
  output: async () => (await import('./audio.schema.ts')).audioControlOutputSchema,
  scopes: ['media'],
  effect: 'write',
  example: { action: 'VOLUME', value: 40 },
  wire: { event: 'AUDIO_CONTROL', reply: 'AUDIO_CONTROLLED' },
  entities: async () => (await import('./audio.controls.ts')).audioControlEntities,
  unavailable: ({ host }) => unavailableFor(host, controls, name),
  run: async (input, { host, caller }) =>
    await (await requireFor(host, controls, name)).control(input, () => requireMicrophone(caller)),
});
