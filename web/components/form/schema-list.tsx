import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { showFound } from '../../shell/found-place.ts';
import { parameter } from '../../shell/route.tsx';
import { Icon } from '../icon.tsx';
import { Fields, isRecord, SchemaField, type SchemaFieldProps } from './schema-form.tsx';
import { descriptionOf, type FormSchema, summaryOf, titleOf } from './schema-text.ts';

/** A list of objects, one row each, which opens for editing. */
export function ListField({ path, schema, value, locked, problems, onChange, ...rest }: SchemaFieldProps) {
  const add = useRef<HTMLButtonElement>(null);
  const added = useSignal(-1);
  const sought = parameter('setting') === path;
  // A search result scrolls into view.
  useEffect(() => {
    if (sought) showFound(add.current);
  }, [sought]);
  const rows: unknown[] = Array.isArray(value) ? value : [];
  const { items = {} } = schema;
  const lock = locked(path);
  const isWrong = (index: number) => [...problems.keys()].some((where) => where.startsWith(`${path}.${index}.`));
  return (
    <fieldset disabled={lock !== null} class={sought ? 'entries sought' : 'entries'}>
      <legend>{titleOf(path, schema)}</legend>
      <p class="small">
        {[descriptionOf(schema), lock].filter(Boolean).join(' ')} <code>{path}</code>
      </p>
      {rows.length === 0 ? <p class="quiet">None yet.</p> : null}
      {rows.map((row, index) => (
        <div key={index} class="entry">
          <details open={index === added.value || isWrong(index)}>
            <summary>
              <b>{nameOf(row, index)}</b> <span class="quiet">{summaryOf(row, items)}</span>
            </summary>
            <div class="row">
              <Fields
                {...rest}
                problems={problems}
                locked={locked}
                path={`${path}.${index}`}
                schema={items}
                value={row}
                onChange={(next) => onChange(rows.with(index, next))}
              />
            </div>
          </details>
          <button
            type="button"
            class="bare"
            title="Remove"
            aria-label={`Remove ${nameOf(row, index)}`}
            onClick={() => {
              onChange(rows.toSpliced(index, 1));
              add.current?.focus();
            }}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <p>
        <button
          type="button"
          class="plain"
          ref={add}
          onClick={() => {
            added.value = rows.length;
            onChange([...rows, emptyOf(items)]);
          }}
        >
          Add
        </button>
      </p>
    </fieldset>
  );
}

/** Objects by name. Known names are listed even if unset. */
export function MapField({ path, schema, value, locked, defaults, onChange, ...rest }: SchemaFieldProps) {
  const current = isRecord(value) ? value : {};
  const known = defaults[path] ?? {};
  const inner = isRecord(schema.additionalProperties) ? (schema.additionalProperties as FormSchema) : {};
  const fields = Object.entries(inner.properties ?? {});
  const lock = locked(path);
  return (
    <fieldset disabled={lock !== null} class="card">
      <legend>{titleOf(path, schema)}</legend>
      <p class="small">{[descriptionOf(schema), lock].filter(Boolean).join(' ')}</p>
      <div class="map">
        {[...new Set([...Object.keys(known), ...Object.keys(current)])].map((name) => {
          const entry = { ...toRecord(known[name]), ...toRecord(current[name]) };
          return fields.map(([key, field]) => (
            <SchemaField
              key={`${name}.${key}`}
              {...rest}
              locked={locked}
              defaults={defaults}
              path={`${path}.${name}.${key}`}
              schema={{
                ...field,
                title: fields.length === 1 ? name : `${name}: ${titleOf(key, field)}`,
                description: '',
              }}
              value={entry[key]}
              onChange={(next) => onChange({ ...current, [name]: { ...entry, [key]: next } })}
            />
          ));
        })}
      </div>
      {fields.map(([key, field]) => (
        <p key={key} class="small">
          {descriptionOf(field)}
        </p>
      ))}
    </fieldset>
  );
}

const toRecord = (value: unknown) => (isRecord(value) ? value : {});

/** Title of an entry, from its fields. */
function nameOf(row: unknown, index: number): string {
  const { name, id } = toRecord(row);
  return [name, id].find((text) => typeof text === 'string' && text !== '')?.toString() ?? `New entry ${index + 1}`;
}

/** A new entry without its optional fields. */
function emptyOf({ type, properties = {}, required = [], enum: choices, default: usual }: FormSchema): unknown {
  if (usual !== undefined) return usual;
  if (type === 'object')
    return Object.fromEntries(
      Object.entries(properties).flatMap(([key, field]) => (required.includes(key) ? [[key, emptyOf(field)]] : [])),
    );
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'string' ? (choices?.[0] ?? '') : 0;
}
