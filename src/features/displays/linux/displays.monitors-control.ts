import { inputName, inputNumber } from '@hostler/ddc/vcp.ts';
import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ServiceError } from '../../../lib/errors.ts';
import type { MonitorControl } from '../displays.contract.ts';
import { isAskable, whyMute } from './monitor-controls.ts';
import { monitors } from './monitors.part.ts';
import type { Monitors } from './monitors.ts';

const noMonitor =
  'No monitor is connected that can be controlled over its cable (DDC/CI); built-in displays do not support that';
/** A monitor takes half a second for its first answers. */
const waitMs = 4000;

export const monitorControlLinux = (host: LinuxHost): MonitorControl => ({
  unavailable: async () => whyNoMonitor(await partOf(host, monitors)),
  tellable: async (displays) => tellableMonitors(await partOf(host, monitors), displays),
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
    // A number is meant as it is: lists of monitors are not always complete.
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

/** null: there is one. Nobody is asked for this. */
export function whyNoMonitor(asked: Monitors): string | null {
  const states = [...asked.known()];
  if (states.some(([, state]) => isAskable(state))) return null;
  const [first] = states;
  return first === undefined ? noMonitor : whyMute(...first);
}

export const tellableMonitors = (asked: Monitors, displays: readonly string[]): string[] =>
  [...asked.known(displays)].flatMap(([id, state]) => (isAskable(state) ? [id] : []));

export function whyNotMonitor(asked: Monitors, display: string): string {
  const state = asked.known([display]).get(display);
  return state === undefined || isAskable(state) ? `${display} is not a monitor at a cable` : whyMute(display, state);
}

/** Rejects with the first problem where nothing worked. */
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
