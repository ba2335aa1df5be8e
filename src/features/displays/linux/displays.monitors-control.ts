import { inputName, inputNumber } from '@hostler/ddc/vcp.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { MonitorControl } from '../displays.contract.ts';
import { isAskable, whyNoReply } from './monitor-controls.ts';
import { monitors } from './monitors.part.ts';
import type { Monitors } from './monitors.ts';

const noMonitor =
  'No external monitor is connected that can be controlled over DDC/CI; built-in displays do not support it';
/** A monitor takes half a second for its first answers. */
const waitMs = 4000;

export const monitorControlLinux = (host: LinuxHost): MonitorControl => ({
  unavailable: async () => whyNoMonitor(await partOf(host, monitors)),
  controllable: async (displays) => controllableMonitors(await partOf(host, monitors), displays),
  whyNot: async (display) => whyNotMonitor(await partOf(host, monitors), display),
  async setContrast(displays, percent) {
    const loaded = await partOf(host, monitors);
    return await eachThatWorks(displays, async (id) => {
      const { contrast } = await loaded.set(id, 'contrast', percent);
      if (contrast === null) throw new ServiceError('unsupported', `${id} has no contrast that can be set over DDC/CI`);
      return { id, contrast };
    });
  },
  async setInput(display, input) {
    const loaded = await partOf(host, monitors);
    const state = (await loaded.read([display], waitMs)).get(display);
    const listed = state?.kind === 'read' ? (state.controls.inputs ?? []) : [];
    const number = inputNumber(input);
    // A plain number is sent even if the monitor does not list it: these lists are not always complete.
    const isPlain = /^input-?\d+$/i.test(input);
    const isListed = number !== null && (listed.length < 2 || listed.includes(inputName(number)));
    if (number === null || !(isPlain || isListed))
      throw new ServiceError(
        'invalid',
        `${display} has no input ${JSON.stringify(input)}${listed.length === 0 ? '' : `; it lists ${listed.join(', ')}`}`,
      );
    return (await loaded.set(display, 'input', number)).input ?? inputName(number);
  },
});

/** null: a monitor can be controlled. Causes no query. */
export function whyNoMonitor(loaded: Monitors): string | null {
  const states = [...loaded.known()];
  if (states.some(([, state]) => isAskable(state))) return null;
  const [first] = states;
  return first === undefined ? noMonitor : whyNoReply(...first);
}

export const controllableMonitors = (loaded: Monitors, displays: readonly string[]): string[] =>
  [...loaded.known(displays)].flatMap(([id, state]) => (isAskable(state) ? [id] : []));

export function whyNotMonitor(loaded: Monitors, display: string): string {
  const state = loaded.known([display]).get(display);
  return state === undefined || isAskable(state) ? `${display} is not an external monitor` : whyNoReply(display, state);
}

/** Rejects with the first error if all calls fail. */
export async function eachThatWorks<T>(displays: readonly string[], work: (id: string) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  let problem: unknown = null;
  for (const id of displays) {
    try {
      done.push(await work(id));
    } catch (error) {
      problem ??= error;
    }
  }
  if (done.length === 0) throw problem;
  return done;
}
