import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { stopOnceBegun } from '../../../lib/closing.ts';
import type { Displays } from '../displays.schema.ts';
import { type MonitorState, whyNoReply } from './monitor-controls.ts';
import { monitors } from './monitors.part.ts';

export interface Silence {
  why: string;
  mendable: boolean;
}

/** A monitor takes half a second for its first answers; later answers are reported as a change. */
const waitMs = 800;
/** For a single read, which gets no later changes. */
const passingWaitMs = 5000;

export function createMonitorFields(host: LinuxHost, isPassing: boolean) {
  return {
    /** `silences`: why monitors do not answer. */
    async added(displays: Displays): Promise<{ displays: Displays; silences: readonly Silence[] }> {
      if (displays.length === 0) return { displays, silences: [] };
      const ids = displays.map(({ id }) => id);
      const states = await (await partOf(host, monitors)).read(ids, isPassing ? passingWaitMs : waitMs);
      return {
        displays: displays.map((display) => withControls(display, states.get(display.id))),
        silences: [...states].flatMap(([id, state]) =>
          state.kind === 'read' ? [] : [{ why: whyNoReply(id, state), mendable: mendable.includes(state.kind) }],
        ),
      };
    },
    watch: (changed: () => void) => stopOnceBegun(partOf(host, monitors).then((loaded) => loaded.watch(changed))),
  };
}

const mendable: readonly MonitorState['kind'][] = ['denied', 'absent'];

function withControls(display: Displays[number], state: MonitorState | undefined): Displays[number] {
  if (state?.kind !== 'read') return display;
  const { brightness, contrast, input, inputs, power } = state.controls;
  return {
    ...display,
    brightness: display.brightness ?? brightness,
    contrast,
    input_source: input,
    inputs: inputs === null ? null : [...inputs],
    // The graphics card does not know that the monitor was switched off over DDC/CI.
    power: power === 'off' ? 'off' : (display.power ?? power),
  };
}
