import { useSignal } from '@preact/signals';

interface SliderProps {
  label: string;
  value: number;
  max: number;
  /** Text beside it, also for the value while dragging. */
  text(value: number): string;
  disabled: boolean;
  /** The label is for screen readers only. */
  spoken?: boolean;
  onSet(value: number): unknown;
}

/** Ignores incoming values while it is dragged. */
export function Slider({ label, value, max, text, disabled, spoken = false, onSet }: SliderProps) {
  const held = useSignal<number | null>(null);
  const shown = held.value ?? value;
  return (
    <label class="slider">
      <span class={spoken ? 'spoken' : ''}>{label}</span>
      <input
        type="range"
        min={0}
        max={max}
        value={shown}
        aria-valuetext={text(shown)}
        disabled={disabled}
        onInput={({ currentTarget: { valueAsNumber } }) => {
          held.value = valueAsNumber;
        }}
        onChange={async ({ currentTarget: { valueAsNumber } }) => {
          held.value = valueAsNumber;
          await onSet(valueAsNumber);
          held.value = null;
        }}
      />
      <span class="small">{text(shown)}</span>
    </label>
  );
}
