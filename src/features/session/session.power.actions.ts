import { defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import { awakeControls, inhibitScopes, keepAwakeOf } from './keep-awake.ts';
import type { ProfileControl } from './session.contract.ts';

const schemas = () => import('./session.schema.ts');
const profileControls: PerPlatform<ProfileControl> = {
  linux: async () => (await import('./linux/power-profiles.control.ts')).powerProfileLinux,
  windows: async () => (await import('./session.power-profile.windows.ts')).powerProfileWindows,
};
const refreshMs = 1000;

const inhibit = defineAction({
  name: 'power.inhibit',
  description: 'Keeps the machine awake for a reason and a time',
  input: async () => (await schemas()).inhibitInputSchema,
  output: async () => (await schemas()).inhibitOutputSchema,
  scopes: inhibitScopes,
  effect: 'write',
  example: { reason: 'A backup is running', seconds: 3600 },
  wire: { event: 'POWER_INHIBIT', reply: 'POWER_INHIBITED' },
  entities: async () => (await import('./session.controls.ts')).keepAwakeEntities,
  unavailable: ({ host }) => unavailableFor(host, awakeControls, 'power.inhibit'),
  async run(input, context) {
    const awake = keepAwakeOf(context.host);
    if (input.seconds === 0)
      return { message: ended(awake.release(null)), data: { id: null, until: null, blocks: [] } };
    const { entry, blocks } = await awake.hold(input, context);
    const until = new Date(entry.until * 1000).toISOString();
    const limit = blocks.includes('sleep') ? '' : '; it can still be put to sleep';
    return {
      message: `The machine is kept awake until ${until}${limit}`,
      data: { id: entry.id, until, blocks: [...blocks] },
    };
  },
});

const uninhibit = defineAction({
  name: 'power.uninhibit',
  description: 'Ends one or all requests that keep the machine awake',
  input: async () => (await schemas()).uninhibitInputSchema,
  output: async () => (await schemas()).uninhibitOutputSchema,
  scopes: inhibitScopes,
  effect: 'write',
  duringPause: true,
  example: { id: 'awake-1' },
  wire: { event: 'POWER_UNINHIBIT', reply: 'POWER_UNINHIBITED' },
  unavailable: async () => null,
  async run({ id }, { host }) {
    const count = keepAwakeOf(host).release(id ?? null);
    if (count === 0 && id != null)
      throw new ServiceError(
        'not_found',
        `No request ${JSON.stringify(id)} keeps the machine awake; it may have ended`,
      );
    return { message: ended(count), data: { ended: count } };
  },
});

const ended = (count: number) =>
  count === 0
    ? 'Nothing keeps the machine awake'
    : `${count} request${count === 1 ? '' : 's'} to keep the machine awake ended`;

const profile = defineAction({
  name: 'power.profile',
  description: 'Sets the power profile, such as power-saver or performance',
  input: async () => (await schemas()).profileInputSchema,
  output: async () => (await schemas()).profileOutputSchema,
  scopes: inhibitScopes,
  effect: 'write',
  example: { profile: 'power-saver' },
  wire: { event: 'POWER_PROFILE', reply: 'POWER_PROFILE_SET' },
  entities: async () => (await import('./session.controls.ts')).powerProfileEntities,
  unavailable: ({ host }) => unavailableFor(host, profileControls, 'power.profile'),
  async run({ profile: wanted }, { host, subscribers }) {
    const set = await (await requireFor(host, profileControls, 'power.profile')).set(wanted);
    // Windows does not announce the change.
    void subscribers.refresh(refreshMs);
    return { message: `The power profile is ${set}`, data: { profile: set } };
  },
});

export const sessionPowerActions = [inhibit, uninhibit, profile] as const;
