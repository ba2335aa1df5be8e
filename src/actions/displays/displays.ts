import { defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { BrightnessControl, DisplayPowerControl } from './displays.contract.ts';
import type {
  DisplayBrightnessInput,
  DisplayBrightnessOutput,
  DisplayPowerInput,
  DisplayPowerOutput,
} from './displays.schema.ts';
import { displaysMeant } from './displays.targets.ts';

const controls: PerPlatform<BrightnessControl> = {
  linux: async () => (await import('./displays.brightness.linux.ts')).brightnessControlLinux,
};
const name = 'display.brightness';

const displayBrightness = defineAction<DisplayBrightnessInput, DisplayBrightnessOutput>({
  name,
  description: 'Sets the brightness of one display, or of all that have one',
  input: async () => (await import('./displays.schema.ts')).displayBrightnessInputSchema,
  output: async () => (await import('./displays.schema.ts')).displayBrightnessOutputSchema,
  scopes: ['control'],
  effect: 'write',
  example: { percent: 40 },
  wire: { event: 'DISPLAY_BRIGHTNESS', reply: 'DISPLAY_BRIGHTNESS_SET' },
  entities: async () => (await import('./displays.entities.ts')).displayBrightnessEntities,
  unavailable: ({ host }) => unavailableFor(host, controls, name),
  async run({ display, percent }, context) {
    const control = await requireFor(context.host, controls, name);
    const { displays: meant } = await displaysMeant(context, display);
    const dimmable = control.dimmable(meant);
    if (dimmable.length === 0)
      throw new ServiceError(
        'unsupported',
        control.unavailable() ??
          `The brightness of ${meant.join(', ')} cannot be set: the kernel has no backlight for it`,
      );
    const displays = await control.set(dimmable, percent);
    const message = displays.map(({ id, brightness }) => `The brightness of ${id} is ${brightness} %`).join('. ');
    return { message, data: { displays } };
  },
});

const switches: PerPlatform<DisplayPowerControl> = {
  linux: async () => (await import('./displays.power.linux.ts')).displayPowerLinux,
};
const powerName = 'display.power';
const refreshMs = 1000;

const displayPower = defineAction<DisplayPowerInput, DisplayPowerOutput>({
  name: powerName,
  description: 'Switches one display, or all, on or off',
  input: async () => (await import('./displays.schema.ts')).displayPowerInputSchema,
  output: async () => (await import('./displays.schema.ts')).displayPowerOutputSchema,
  scopes: ['control'],
  effect: 'disrupt',
  example: { on: false },
  wire: { event: 'DISPLAY_POWER', reply: 'DISPLAY_POWER_SET' },
  entities: async () => (await import('./displays.entities.ts')).displayPowerEntities,
  unavailable: ({ host }) => unavailableFor(host, switches, powerName),
  async run({ display, on }, context) {
    const control = await requireFor(context.host, switches, powerName);
    const meant = await displaysMeant(context, display);
    const power = on ? 'on' : 'off';
    const { confirmed } = await control.set(meant, power);
    // Not every desktop tells others of it.
    void context.audience.refresh(refreshMs);
    const { displays } = meant;
    const which = displays.join(', ');
    const message = confirmed
      ? `${which} ${displays.length === 1 ? 'is' : 'are'} ${power}`
      : `${which} ${displays.length === 1 ? 'was' : 'were'} told to go ${power}, but this was not confirmed`;
    return { message, data: { displays, power, confirmed } };
  },
});

export const displayActions = [displayBrightness, displayPower] as const;
