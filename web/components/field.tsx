import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { set } from '../state/set.ts';

interface FieldProps {
  label: string;
  value: Signal<string>;
  /** `secret`: concealed. Not a password field: the browser would store it, or offer a stored one. */
  kind?: 'line' | 'lines' | 'number' | 'secret';
  placeholder?: string;
  required?: boolean;
  min?: number;
  max?: number;
  /** Suggestions; other values can be entered as well. */
  choices?: readonly string[];
}

export function Field({ label, value, kind = 'line', choices = [], min, max, ...rest }: FieldProps) {
  const id = useId();
  const onInput = (event: { currentTarget: { value: string } }) => set(value, event.currentTarget.value);
  const shared = { id, value: value.value, onInput, ...rest };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {kind === 'lines' ? (
        <textarea rows={4} {...shared} />
      ) : kind === 'number' ? (
        <input type="number" min={min} max={max} {...shared} />
      ) : kind === 'secret' ? (
        <input class="concealed" autocomplete="off" autocapitalize="none" spellcheck={false} {...shared} />
      ) : (
        <input list={choices.length > 0 ? `${id}-choices` : undefined} {...shared} />
      )}
      {choices.length === 0 ? null : (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
    </div>
  );
}

interface CheckProps {
  checked: boolean;
  onChange(checked: boolean): void;
  children: ComponentChildren;
}

export const Check = ({ checked, onChange, children }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
    {children}
  </label>
);

export function Switch({ value, children }: { value: Signal<boolean>; children: ComponentChildren }) {
  const onChange = (checked: boolean) => set(value, checked);
  return (
    <Check checked={value.value} onChange={onChange}>
      {children}
    </Check>
  );
}

interface MemberProps {
  of: Signal<string[]>;
  choice: string;
  children: ComponentChildren;
}

export function Member({ of, choice, children }: MemberProps) {
  const onChange = (checked: boolean) =>
    set(of, checked ? [...of.value, choice] : of.value.filter((each) => each !== choice));
  return (
    <Check checked={of.value.includes(choice)} onChange={onChange}>
      {children}
    </Check>
  );
}
