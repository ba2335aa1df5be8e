import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { parseSpan, spanText } from '../../../src/lib/durations.ts';
import { showFound } from '../../shell/found-place.ts';
import { parameter } from '../../shell/route.tsx';
import { set } from '../../state/set.ts';
import type { SchemaFieldProps } from './schema-form.tsx';
import { descriptionOf, type FormSchema, msPerUnit, rangeOf, titleOf } from './schema-text.ts';

/** A text, a number, a choice or a switch. */
export function ScalarField({
  path,
  schema,
  value,
  problems,
  locked,
  isOptional = false,
  onChange: changed,
}: SchemaFieldProps) {
  const onChange = (next: unknown) => changed(isOptional && (next === '' || Number.isNaN(next)) ? undefined : next);
  const { type, minimum, maximum } = schema;
  const shared = inputProps(path, problems.has(path), locked(path));
  const about = { path, schema, problem: problems.get(path), lock: locked(path) };
  const ms = msPerUnit(schema);
  if (type === 'boolean')
    return (
      <About {...about} isCheck>
        <input
          type="checkbox"
          {...shared}
          checked={value === true}
          onChange={({ currentTarget: { checked } }) => onChange(checked)}
        />
      </About>
    );
  if (schema.enum === undefined && ms !== undefined)
    return (
      <About {...about} problem={problems.has(path) ? rangeOf(schema) : undefined}>
        <DurationInput shared={shared} value={value} ms={ms} onChange={onChange} />
      </About>
    );
  return (
    <About {...about}>
      {schema.enum !== undefined ? (
        <select {...shared} value={String(value)} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {schema.enum.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : type === 'integer' || type === 'number' ? (
        <input
          type="number"
          {...shared}
          min={minimum}
          max={maximum}
          value={Number.isNaN(value) ? '' : String(value ?? '')}
          onInput={({ currentTarget: { valueAsNumber } }) => onChange(valueAsNumber)}
        />
      ) : (
        <input {...shared} value={String(value ?? '')} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
    </About>
  );
}

interface DurationInputProps {
  shared: ReturnType<typeof inputProps>;
  value: unknown;
  /** Milliseconds of one. */
  ms: number;
  onChange(value: unknown): void;
}

/** `5 min`. What cannot be read as a duration stays as it was typed, and is an error. */
function DurationInput({ shared, value, ms, onChange }: DurationInputProps) {
  const shown = typeof value === 'number' && !Number.isNaN(value) ? spanText(value * ms) : String(value ?? '');
  const text = useSignal(shown);
  const parsed = (typed: string): unknown => {
    const span = parseSpan(typed);
    return span === null ? typed : span / ms;
  };
  // The value changed from outside: saved or reset.
  if (String(parsed(text.value)) !== String(value ?? '')) text.value = shown;
  return (
    <input
      {...shared}
      class="duration"
      value={text.value}
      onInput={({ currentTarget }) => {
        text.value = currentTarget.value;
        onChange(parsed(currentTarget.value));
      }}
      onBlur={() => set(text, shown)}
    />
  );
}

/** A list of texts, one on each line. */
export function TextsField({ path, schema, value, problems, locked, onChange }: SchemaFieldProps) {
  const lines = Array.isArray(value) ? value.map(String) : [];
  const text = useSignal(lines.join('\n'));
  // The value changed from outside: saved, reset, or another row took this place.
  if (linesOf(text.value).join('\n') !== lines.join('\n')) text.value = lines.join('\n');
  const problem = [...problems].find(([where]) => where === path || where.startsWith(`${path}.`))?.[1];
  return (
    <About path={path} schema={schema} problem={problem} lock={locked(path)} hint="One per line.">
      <textarea
        {...inputProps(path, problem !== undefined, locked(path))}
        rows={Math.max(2, Math.min(8, lines.length + 1))}
        value={text.value}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value;
          onChange(linesOf(currentTarget.value));
        }}
      />
    </About>
  );
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

const inputProps = (path: string, invalid: boolean, lock: string | null) => ({
  id: `setting-${path}`,
  disabled: lock !== null,
  'aria-describedby': `setting-${path}-about`,
  'aria-invalid': invalid,
});

interface AboutProps {
  path: string;
  schema: FormSchema;
  problem: string | undefined;
  lock: string | null;
  hint?: string;
  isCheck?: boolean;
  children: ComponentChildren;
}

/** A field with its label, description and error. */
function About({ path, schema, problem, lock, hint, isCheck = false, children }: AboutProps) {
  const id = `setting-${path}`;
  const holder = useRef<HTMLDivElement>(null);
  const sought = parameter('setting') === path;
  // A search result scrolls into view.
  useEffect(() => {
    if (sought) showFound(holder.current, holder.current?.querySelector<HTMLElement>('input, select, textarea'));
  }, [sought]);
  const name = <label for={id}>{titleOf(path, schema)}</label>;
  return (
    <div ref={holder} class={['setting', isCheck ? 'check' : '', sought ? 'sought' : ''].filter(Boolean).join(' ')}>
      {isCheck ? children : name}
      {isCheck ? name : children}
      <p id={`${id}-about`} class="small">
        {problem === undefined ? null : <span class="problem">{problem}. </span>}
        {[descriptionOf(schema), hint, lock].filter(Boolean).join(' ')}{' '}
        {/\.\d+\./.test(path) ? null : <code>{path}</code>}
      </p>
    </div>
  );
}
