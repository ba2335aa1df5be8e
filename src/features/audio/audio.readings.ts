import { type ControlledState, roundedTo } from '../../core/readings/entities.ts';
import { readings } from '../../core/readings/readings.ts';
import type { Audio } from './audio.schema.ts';

/** Only controls, which are published only if the broker may control them. */
export const audioReadings = readings<Audio>({
  rows: [],
  entities: {
    atOnce: true,
    controlled({ sinks, sources, default_sink, default_source }) {
      const inputs = sources.filter(({ monitor_of }) => monitor_of === null);
      const output = sinks.find(({ id }) => id === default_sink);
      const input = inputs.find(({ id }) => id === default_source);
      return {
        volume: { value: roundedTo(output?.volume ?? null, 0) },
        mute: { value: output?.is_muted ?? null },
        microphone_mute: { value: input?.is_muted ?? null },
        output: choiceOf(sinks, output?.id),
        input: choiceOf(inputs, input?.id),
      };
    },
  },
});

/** By name; devices of the same name are distinguished by their ids. */
function choiceOf(devices: readonly { id: string; name: string }[], chosen: string | undefined): ControlledState {
  const counts = Map.groupBy(devices, ({ name }) => name);
  const label = ({ id, name }: { id: string; name: string }) =>
    counts.get(name)?.length === 1 ? name : `${name} (${id})`;
  const device = devices.find(({ id }) => id === chosen);
  return {
    value: device === undefined ? null : label(device),
    choices: new Map(devices.map((each) => [label(each), each.id])),
  };
}
