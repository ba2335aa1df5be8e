import { ListField, MapField } from './schema-list.tsx';
import { ScalarField, TextsField } from './schema-scalar.tsx';
import { type FormSchema, titleOf } from './schema-text.ts';

export interface SchemaFieldProps {
  /** Dotted path. */
  path: string;
  schema: FormSchema;
  value: unknown;
  /** Errors, by path. */
  problems: ReadonlyMap<string, string>;
  /** Why a value cannot be changed here; null: it can. */
  locked(path: string): string | null;
  /** Defaults of unset entries of a map, by the path of the map. */
  defaults: Readonly<Record<string, Record<string, unknown>>>;
  /** Empty values are omitted. */
  isOptional?: boolean;
  onChange(value: unknown): void;
}

export function SchemaField(props: SchemaFieldProps) {
  const { schema } = props;
  if (schema.type === 'object') return schema.properties === undefined ? <MapField {...props} /> : <Group {...props} />;
  if (schema.type !== 'array') return <ScalarField {...props} />;
  return schema.items?.type === 'string' ? <TextsField {...props} /> : <ListField {...props} />;
}

function Group({ path, schema, value, locked, ...rest }: SchemaFieldProps) {
  const lock = locked(path);
  return (
    <fieldset disabled={lock !== null} class="card">
      <legend>{titleOf(path, schema)}</legend>
      {lock === null ? null : <p class="small">{lock}</p>}
      <Fields {...rest} path={path} schema={schema} value={value} locked={locked} />
    </fieldset>
  );
}

export function Fields({ path, schema, value, onChange, isOptional = false, ...rest }: SchemaFieldProps) {
  const current = isRecord(value) ? value : {};
  const { required = [] } = schema;
  const change = (key: string, next: unknown) => {
    const given = Object.entries({ ...current, [key]: next }).filter(([, inner]) => inner !== undefined);
    onChange(isOptional && given.length === 0 ? undefined : Object.fromEntries(given));
  };
  return (
    <>
      {Object.entries(schema.properties ?? {}).map(([key, field]) => (
        <SchemaField
          key={key}
          {...rest}
          path={`${path}.${key}`}
          schema={field}
          value={current[key]}
          // An omitted optional object has no required fields.
          isOptional={!required.includes(key) || isOptional}
          onChange={(next) => change(key, next)}
        />
      ))}
    </>
  );
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
