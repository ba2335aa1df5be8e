import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  value: Signal<string>;
  kind?: 'line' | 'lines' | 'number';
  placeholder?: string;
  required?: boolean;
}

/** One labelled text input bound to a signal. */
export function Field({ label, value, kind = 'line', placeholder = '', required = false }: FieldProps) {
  const id = useId();
  const onInput = (event: { currentTarget: { value: string } }) => {
    value.value = event.currentTarget.value;
  };
  const shared = { id, value: value.value, placeholder, required, onInput };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === 'lines' ? (
        <textarea rows={4} {...shared} />
      ) : kind === 'number' ? (
        <input type="number" {...shared} />
      ) : (
        <input {...shared} />
      )}
    </div>
  );
}
