import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Displays } from '../displays.schema.ts';
import { type MonitorState, whyMute } from './monitor-controls.ts';
import { monitors } from './monitors.part.ts';

/** What monitors at a cable tell of themselves. */
export interface MonitorFields {
  /** Fills in what a display tells itself; the sentences say why others do not, and which of them can be helped. */
  added(displays: Displays): Promise<{ displays: Displays; silences: readonly Silence[] }>;
  /** Calls back when one has told something. */
  watch(changed: () => void): () => void;
}

export interface Silence {
  why: string;
  mendable: boolean;
}

/** A monitor takes half a second for its first answers; what comes later is told later. */
const waitMs = 800;
/** Who has one look only has no later. */
const passingWaitMs = 5000;

export function createMonitorFields(host: LinuxHost, isPassing: boolean): MonitorFields {
  return {
    async added(displays) {
      if (displays.length === 0) return { displays, silences: [] };
      const ids = displays.map(({ id }) => id);
      const states = await (await partOf(host, monitors)).read(ids, isPassing ? passingWaitMs : waitMs);
      return {
        displays: displays.map((display) => withControls(display, states.get(display.id))),
        silences: [...states].flatMap(([id, state]) =>
          state.kind === 'read' ? [] : [{ why: whyMute(id, state), mendable: mendable.includes(state.kind) }],
        ),
      };
    },
    watch(changed) {
      let stop: (() => void) | null = () => {};
      void partOf(host, monitors).then((loaded) => {
        if (stop !== null) stop = loaded.watch(changed);
      });
      return () => {
        stop?.();
        stop = null;
      };
    },
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
    // The graphics card does not know what the monitor was told directly.
    power: power === 'off' ? 'off' : (display.power ?? power),
  };
}
