import { defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import type { SessionSwitch, SessionSwitchControl } from './session.contract.ts';

const refreshMs = 1000;

const switchAction = (
  name: `session.${string}`,
  { which, title, description }: { which: SessionSwitch; title: string; description: string },
  controls: PerPlatform<SessionSwitchControl>,
) => {
  const event = name.toUpperCase().replace('.', '_');
  return defineAction({
    name,
    description,
    input: async () => (await import('./session.schema.ts')).sessionSwitchInputSchema,
    output: async () => (await import('./session.schema.ts')).sessionSwitchOutputSchema,
    scopes: ['control'],
    effect: 'write',
    example: { on: true },
    wire: { event, reply: `${event}_SET` },
    entities: async () => (await import('./session.controls.ts')).sessionSwitchEntities(which),
    unavailable: ({ host }) => unavailableFor(host, controls, name),
    async run({ on }, context) {
      const { by, confirmed } = await (await requireFor(context.host, controls, name)).set(on);
      // Not every desktop announces the change.
      void context.subscribers.refresh(refreshMs);
      const state = on ? 'on' : 'off';
      const message = confirmed
        ? `${title} is ${state} (${by})`
        : `${by} was asked to switch ${title.toLowerCase()} ${state}, but has not confirmed it`;
      return { message, data: { on, by, confirmed } };
    },
  });
};

export const sessionActions = [
  switchAction(
    'session.silence',
    {
      which: 'do_not_disturb',
      title: 'Do not disturb',
      description: 'Switches do not disturb on, which silences the notifications of the desktop, or off',
    },
    { linux: async () => (await import('./linux/session.control.ts')).doNotDisturbLinux },
  ),
  switchAction(
    'session.nightlight',
    {
      which: 'night_light',
      title: 'Night light',
      description: 'Switches the night light of GNOME or Plasma on or off',
    },
    { linux: async () => (await import('./linux/session.control.ts')).nightLightLinux },
  ),
] as const;
