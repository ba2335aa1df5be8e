import { type ActionContext, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { BrightnessControl, DisplayPowerControl, MonitorControl } from './displays.contract.ts';
import { displaysMeant } from './displays.targets.ts';

const controls: PerPlatform<BrightnessControl> = {
  linux: async () => (await import('./linux/displays.brightness-control.ts')).brightnessControlLinux,
  windows: async () => (await import('./displays.brightness-control.windows.ts')).brightnessControlWindows,
};
const name = 'display.brightness';
const refreshMs = 1000;

const displayBrightness = defineAction({
  name,
  description: 'Sets the brightness of one display, or of all that have one',
  input: async () => (await import('./displays.schema.ts')).displayBrightnessInputSchema,
  output: async () => (await import('./displays.schema.ts')).displayBrightnessOutputSchema,
  scopes: ['control'],
  effect: 'write',
  example: { percent: 40 },
  wire: { event: 'DISPLAY_BRIGHTNESS', reply: 'DISPLAY_BRIGHTNESS_SET' },
  entities: async () => (await import('./displays.controls.ts')).displayBrightnessEntities,
  unavailable: ({ host }) => unavailableFor(host, controls, name),
  run: (given, context) =>
    ordered(context, async () => {
      const { display, percent } = given;
      const control = await requireFor(context.host, controls, name);
      const { displays: meant, known } = await displaysMeant(context, display);
      const dimmable = await control.dimmable(meant, known);
      if (dimmable.length === 0)
        throw new ServiceError(
          'unsupported',
          (await control.unavailable()) ??
            `The brightness of ${meant.join(', ')} cannot be set. ${await control.whyNot(meant[0] ?? '')}`,
        );
      const displays = await control.set(dimmable, percent, known);
      void context.subscribers.refresh(refreshMs);
      const message = displays.map(({ id, brightness }) => `The brightness of ${id} is ${brightness} %`).join('. ');
      return { message, data: { displays } };
    }),
});

const monitorControls: PerPlatform<MonitorControl> = {
  linux: async () => (await import('./linux/displays.monitors-control.ts')).monitorControlLinux,
};

const contrastName = 'display.contrast';

const displayContrast = defineAction({
  name: contrastName,
  description: 'Sets the contrast of one monitor, or of all that let it be set over their cable (DDC/CI)',
  input: async () => (await import('./displays.schema.ts')).displayContrastInputSchema,
  output: async () => (await import('./displays.schema.ts')).displayContrastOutputSchema,
  scopes: ['control'],
  effect: 'write',
  example: { percent: 70 },
  wire: { event: 'DISPLAY_CONTRAST', reply: 'DISPLAY_CONTRAST_SET' },
  entities: async () => (await import('./displays.controls.ts')).displayContrastEntities,
  unavailable: ({ host }) => unavailableFor(host, monitorControls, contrastName),
  run: (given, context) =>
    ordered(context, async () => {
      const { display, percent } = given;
      const control = await requireFor(context.host, monitorControls, contrastName);
      const { displays: meant } = await displaysMeant(context, display);
      const controllable = await control.controllable(meant);
      if (controllable.length === 0) throw new ServiceError('unsupported', await control.whyNot(meant[0] ?? ''));
      const displays = await control.setContrast(controllable, percent);
      void context.subscribers.refresh(refreshMs);
      const message = displays.map(({ id, contrast }) => `The contrast of ${id} is ${contrast} %`).join('. ');
      return { message, data: { displays } };
    }),
});

const inputName = 'display.input';

const displayInput = defineAction({
  name: inputName,
  description: 'Switches a monitor to another of its inputs over its cable (DDC/CI)',
  input: async () => (await import('./displays.schema.ts')).displayInputInputSchema,
  output: async () => (await import('./displays.schema.ts')).displayInputOutputSchema,
  scopes: ['control'],
  // The monitor may no longer show this machine.
  effect: 'disrupt',
  example: { input: 'HDMI-1' },
  wire: { event: 'DISPLAY_INPUT', reply: 'DISPLAY_INPUT_SET' },
  unavailable: ({ host }) => unavailableFor(host, monitorControls, inputName),
  run: (given, context) =>
    ordered(context, async () => {
      const { display, input } = given;
      const control = await requireFor(context.host, monitorControls, inputName);
      const { displays: meant } = await displaysMeant(context, display);
      const [id, ...others] = await control.controllable(meant);
      if (id === undefined) throw new ServiceError('unsupported', await control.whyNot(meant[0] ?? ''));
      if (others.length > 0)
        throw new ServiceError('invalid', `${inputName}: name one of the displays ${[id, ...others].join(', ')}`);
      const shown = await control.setInput(id, input);
      void context.subscribers.refresh(refreshMs);
      return { message: `${id} was switched to ${shown}`, data: { display: id, input: shown } };
    }),
});

const switches: PerPlatform<DisplayPowerControl> = {
  linux: async () => (await import('./linux/displays.power-control.ts')).displayPowerLinux,
  windows: async () => (await import('./displays.power-control.windows.ts')).displayPowerWindows,
};
const powerName = 'display.power';

const displayPower = defineAction({
  name: powerName,
  description: 'Switches one display, or all, on or off',
  input: async () => (await import('./displays.schema.ts')).displayPowerInputSchema,
  output: async () => (await import('./displays.schema.ts')).displayPowerOutputSchema,
  scopes: ['control'],
  effect: 'disrupt',
  example: { on: false },
  wire: { event: 'DISPLAY_POWER', reply: 'DISPLAY_POWER_SET' },
  entities: async () => (await import('./displays.controls.ts')).displayPowerEntities,
  unavailable: ({ host }) => unavailableFor(host, switches, powerName),
  run: (given, context) =>
    ordered(context, async () => {
      const { display, on } = given;
      const control = await requireFor(context.host, switches, powerName);
      const meant = await displaysMeant(context, display);
      const power = on ? 'on' : 'off';
      const { displays: switched, confirmed } = await control.set(meant, power);
      // Not every desktop announces the change.
      void context.subscribers.refresh(refreshMs);
      const displays = [...switched];
      const which = displays.join(', ');
      const message = confirmed
        ? `${which} ${displays.length === 1 ? 'is' : 'are'} ${power}`
        : `${which} ${displays.length === 1 ? 'was' : 'were'} asked to switch ${power}, but this was not confirmed`;
      return { message, data: { displays, power, confirmed } };
    }),
});

const mostOrders = 16;

/** Orders over the cable of a monitor take up to a second each. They run one by one, and not for a token that was revoked meanwhile. */
function createOrders() {
  const places = createPlaces(mostOrders, 'Too many orders for displays are pending; try again');
  let last: Promise<unknown> = Promise.resolve();
  return <T>({ caller, admits }: ActionContext, work: () => Promise<T>): Promise<T> =>
    places.run(shareIdOf(caller), () => {
      const order = last.then(() => {
        if (!admits(caller)) throw new ServiceError('unauthorized', 'This token was revoked or changed meanwhile');
        return work();
      });
      last = order.catch(() => {});
      return order;
    });
}

const ordered = <T>(context: ActionContext, work: () => Promise<T>): Promise<T> =>
  context.keep(createOrders)(context, work);

export const displayActions = [displayBrightness, displayPower, displayContrast, displayInput] as const;
