import { type ActionContext, type ActionParts, type ActionResult, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { refuseWhilePaused } from '../../core/control-pause.ts';
import { createPlaces } from '../../core/places.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import { createSequence } from '../../lib/later.ts';
import type { BrightnessControl, DisplayPowerControl, MonitorControl } from './displays.contract.ts';
import type { DisplayInputInput, DisplayPercentInput, DisplayPowerInput } from './displays.schema.ts';
import { displaysMeant } from './displays.targets.ts';

const controls: PerPlatform<BrightnessControl> = {
  linux: async () => (await import('./linux/displays.brightness-control.ts')).brightnessControlLinux,
  windows: async () => (await import('./displays.brightness-control.windows.ts')).brightnessControlWindows,
};
const monitorControls: PerPlatform<MonitorControl> = {
  linux: async () => (await import('./linux/displays.monitors-control.ts')).monitorControlLinux,
};
const switches: PerPlatform<DisplayPowerControl> = {
  linux: async () => (await import('./linux/displays.power-control.ts')).displayPowerLinux,
  windows: async () => (await import('./displays.power-control.windows.ts')).displayPowerWindows,
};
const schemas = () => import('./displays.schema.ts');
const refreshMs = 1000;

type Meant = Awaited<ReturnType<typeof displaysMeant>>;

/** An order for one display or all. */
const displayOrder = <
  C extends { unavailable(): Promise<string | null> },
  I extends { display?: string | null | undefined },
  R,
>(
  name: `display.${string}`,
  platforms: PerPlatform<C>,
  work: (control: C, meant: Meant, input: I) => Promise<ActionResult<R>>,
) => ({
  name,
  scopes: ['control'] as const,
  unavailable: ({ host }: Pick<ActionParts, 'host'>) => unavailableFor(host, platforms, name),
  run: (input: I, context: ActionContext) =>
    context.keep(createOrders)(context, async () => {
      const control = await requireFor(context.host, platforms, name);
      const result = await work(control, await displaysMeant(context, input.display), input);
      // Not every desktop announces the change.
      void context.subscribers.refresh(refreshMs);
      return result;
    }),
});

const displayBrightness = defineAction({
  description: 'Sets the brightness of one display, or of all that have one',
  input: async () => (await schemas()).displayBrightnessInputSchema,
  output: async () => (await schemas()).displayBrightnessOutputSchema,
  effect: 'write',
  example: { percent: 40 },
  wire: { event: 'DISPLAY_BRIGHTNESS', reply: 'DISPLAY_BRIGHTNESS_SET' },
  entities: async () => (await import('./displays.controls.ts')).displayBrightnessEntities,
  ...displayOrder(
    'display.brightness',
    controls,
    async (control, { displays: meant, known }, { percent }: DisplayPercentInput) => {
      const dimmable = await control.dimmable(meant, known);
      if (dimmable.length === 0)
        throw new ServiceError(
          'unsupported',
          (await control.unavailable()) ??
            `The brightness of ${meant.join(', ')} cannot be set. ${await control.whyNot(meant[0] ?? '')}`,
        );
      const displays = await control.set(dimmable, percent, known);
      const message = displays.map(({ id, brightness }) => `The brightness of ${id} is ${brightness} %`).join('. ');
      return { message, data: { displays } };
    },
  ),
});

/** Those of the displays that are meant; throws if there are none. */
async function controllable(control: MonitorControl, { displays }: Meant): Promise<string[]> {
  const found = await control.controllable(displays);
  if (found.length === 0) throw new ServiceError('unsupported', await control.whyNot(displays[0] ?? ''));
  return found;
}

const displayContrast = defineAction({
  description: 'Sets the contrast of one monitor, or of all that let it be set over their cable (DDC/CI)',
  input: async () => (await schemas()).displayContrastInputSchema,
  output: async () => (await schemas()).displayContrastOutputSchema,
  effect: 'write',
  example: { percent: 70 },
  wire: { event: 'DISPLAY_CONTRAST', reply: 'DISPLAY_CONTRAST_SET' },
  entities: async () => (await import('./displays.controls.ts')).displayContrastEntities,
  ...displayOrder('display.contrast', monitorControls, async (control, meant, { percent }: DisplayPercentInput) => {
    const displays = await control.setContrast(await controllable(control, meant), percent);
    const message = displays.map(({ id, contrast }) => `The contrast of ${id} is ${contrast} %`).join('. ');
    return { message, data: { displays } };
  }),
});

const displayInput = defineAction({
  description: 'Switches a monitor to another of its inputs over its cable (DDC/CI)',
  input: async () => (await schemas()).displayInputInputSchema,
  output: async () => (await schemas()).displayInputOutputSchema,
  // The monitor may no longer show this machine.
  effect: 'disrupt',
  example: { input: 'HDMI-1' },
  wire: { event: 'DISPLAY_INPUT', reply: 'DISPLAY_INPUT_SET' },
  ...displayOrder('display.input', monitorControls, async (control, meant, { input }: DisplayInputInput) => {
    const [id = '', ...others] = await controllable(control, meant);
    if (others.length > 0)
      throw new ServiceError('invalid', `display.input: name one of the displays ${[id, ...others].join(', ')}`);
    const shown = await control.setInput(id, input);
    return { message: `${id} was switched to ${shown}`, data: { display: id, input: shown } };
  }),
});

const displayPower = defineAction({
  description: 'Switches one display, or all, on or off',
  input: async () => (await schemas()).displayPowerInputSchema,
  output: async () => (await schemas()).displayPowerOutputSchema,
  effect: 'disrupt',
  example: { on: false },
  wire: { event: 'DISPLAY_POWER', reply: 'DISPLAY_POWER_SET' },
  entities: async () => (await import('./displays.controls.ts')).displayPowerEntities,
  ...displayOrder('display.power', switches, async (control, meant, { on }: DisplayPowerInput) => {
    const power: 'on' | 'off' = on ? 'on' : 'off';
    const { displays: switched, confirmed } = await control.set(meant, power);
    const displays = [...switched];
    const which = displays.join(', ');
    const message = confirmed
      ? `${which} ${displays.length === 1 ? 'is' : 'are'} ${power}`
      : `${which} ${displays.length === 1 ? 'was' : 'were'} asked to switch ${power}, but this was not confirmed`;
    return { message, data: { displays, power, confirmed } };
  }),
});

const mostOrders = 16;

/** Orders over the cable of a monitor take up to a second each. They run one by one, of each token in turn; not for a token that was revoked meanwhile, and not while control is paused. */
function createOrders() {
  const places = createPlaces(mostOrders, 'Too many orders for displays are pending; try again');
  const inTurn = createSequence();
  /** By token: only its oldest order waits for a turn. */
  const sequences = new Map<string, typeof inTurn>();
  return <T>({ caller, admits, controlPause }: ActionContext, work: () => Promise<T>): Promise<T> => {
    const share = shareIdOf(caller);
    const inOwnTurn = sequences.get(share) ?? createSequence();
    sequences.set(share, inOwnTurn);
    const order = async () => {
      if (!admits(caller)) throw new ServiceError('unauthorized', 'This token was revoked or changed meanwhile');
      refuseWhilePaused(controlPause, { effect: 'write' });
      return await work();
    };
    return places.run(share, () => inOwnTurn(() => inTurn(order)));
  };
}

export const displayActions = [displayBrightness, displayPower, displayContrast, displayInput] as const;
