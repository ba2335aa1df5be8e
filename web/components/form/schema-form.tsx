import { ListField, MapField } from './schema-list.tsx';
import { ScalarField, TextsField } from './schema-scalar.tsx';

/** The parts of JSON Schema that our settings use. */
export interface FormSchema {
  type?: string;
  /** Label; default: derived from the name of the setting. */
  title?: string;
  description?: string;
  properties?: Record<string, FormSchema>;
  /** Required properties. */
  required?: string[];
  default?: unknown;
  additionalProperties?: FormSchema | boolean;
  items?: FormSchema;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

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

/** A form generated from a schema. */
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

/** The properties of an object. */
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

/** `allowedHosts` → Allowed hosts. */
export function titleOf(path: string, { title }: FormSchema = {}): string {
  if (title !== undefined) return title;
  const key = path.split('.').at(-1) ?? path;
  if (key.length <= 3) return key.toUpperCase();
  const words = key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
