import { useEffect, useRef } from 'preact/hooks';
import { parameter } from '../../shell/route.tsx';
import { Fields, type FormSchema, isRecord, SchemaField, type SchemaFieldProps, titleOf } from './schema-form.tsx';

/** A list of objects, one row each. */
export function ListField({ path, schema, value, locked, onChange, ...rest }: SchemaFieldProps) {
  const add = useRef<HTMLButtonElement>(null);
  const sought = parameter('setting') === path;
  // A search result scrolls into view.
  useEffect(() => {
    if (sought) add.current?.focus();
  }, [sought]);
  const rows: unknown[] = Array.isArray(value) ? value : [];
  const { items = {} } = schema;
  const lock = locked(path);
  return (
    <fieldset disabled={lock !== null} class={sought ? 'sought' : ''}>
      <legend>{titleOf(path, schema)}</legend>
      <p class="small">{[schema.description, lock].filter(Boolean).join('. ')}</p>
      {rows.length === 0 ? <p class="quiet">None yet.</p> : null}
      {rows.map((row, index) => {
        const name = nameOf(row, index);
        return (
          <fieldset key={index} class="row">
            <legend>{name}</legend>
            <Fields
              {...rest}
              locked={locked}
              path={`${path}.${index}`}
              schema={items}
              value={row}
              onChange={(next) => onChange(rows.with(index, next))}
            />
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${name}`}
              onClick={() => {
                onChange(rows.toSpliced(index, 1));
                add.current?.focus();
              }}
            >
              Remove
            </button>
          </fieldset>
        );
      })}
      <p>
        <button type="button" class="plain" ref={add} onClick={() => onChange([...rows, emptyOf(items)])}>
          Add
        </button>{' '}
        <code class="small">{path}</code>
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
      <p class="small">{[schema.description, lock].filter(Boolean).join('. ')}</p>
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
      {fields.map(([key, { description }]) => (
        <p key={key} class="small">
          {description}
        </p>
      ))}
    </fieldset>
  );
}

const toRecord = (value: unknown) => (isRecord(value) ? value : {});

/** Title of an entry, from its fields. */
function nameOf(row: unknown, index: number): string {
  const { name, id } = toRecord(row);
  return [name, id].find((text) => typeof text === 'string' && text !== '')?.toString() ?? `${index + 1}.`;
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
