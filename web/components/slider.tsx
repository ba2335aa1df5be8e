import { useSignal } from '@preact/signals';
import { attempt } from '../shell/announcements.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';
import { set } from '../state/set.ts';

interface SliderProps {
  label: string;
  value: number;
  max: number;
  /** What it sends, with the data for a value. */
  event: string;
  data(value: number): Record<string, unknown>;
  /** Text beside it, also for the value while dragging. */
  text?(value: number): string;
  /** The label is for screen readers only. */
  spoken?: boolean;
}

const inPercent = (value: number) => `${value} %`;

/** Ignores incoming values while it is dragged. */
export function Slider({ label, value, max, event, data, text = inPercent, spoken = false }: SliderProps) {
  const held = useSignal<number | null>(null);
  const shown = held.value ?? Math.round(value);
  return (
    <label class="slider">
      <span class={spoken ? 'spoken' : ''}>{label}</span>
      <input
        type="range"
        min={0}
        max={max}
        value={shown}
        aria-valuetext={text(shown)}
        disabled={obstacle(event) !== null}
        onInput={({ currentTarget: { valueAsNumber } }) => set(held, valueAsNumber)}
        onChange={async ({ currentTarget: { valueAsNumber } }) => {
          held.value = valueAsNumber;
          await attempt(() => request(event, data(valueAsNumber)), null);
          held.value = null;
        }}
      />
      <span class="small">{text(shown)}</span>
    </label>
  );
}
