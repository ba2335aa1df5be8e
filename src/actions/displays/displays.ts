import { defineAction } from '../../core/action.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { BrightnessControl } from './displays.contract.ts';
import type { DisplayBrightnessInput, DisplayBrightnessOutput } from './displays.schema.ts';
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
    const meant = await displaysMeant(context, display);
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

export const displayActions = [displayBrightness] as const;
