import { ListField, MapField } from './schema-list.tsx';
import { ScalarField, TextsField } from './schema-scalar.tsx';

/** The parts of JSON Schema that our settings use. */
export interface FormSchema {
  type?: string;
  /** Two or three words; else the name of the setting is made into some. */
  title?: string;
  description?: string;
  properties?: Record<string, FormSchema>;
  /** Properties that are always there. */
  required?: string[];
  default?: unknown;
  additionalProperties?: FormSchema | boolean;
  items?: FormSchema;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}

export interface SchemaFieldProps {
  /** Dotted, as people write it. */
  path: string;
  schema: FormSchema;
  value: unknown;
  /** What is wrong, by path. */
  problems: ReadonlyMap<string, string>;
  /** Why something cannot be changed here; null: it can. */
  locked(path: string): string | null;
  /** What holds for entries of a map that nobody has set, by the path of the map. */
  defaults: Readonly<Record<string, Record<string, unknown>>>;
  /** What is emptied is left out. */
  isOptional?: boolean;
  onChange(value: unknown): void;
}

/** A form made from a schema: whatever is added there appears here. */
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
    const kept = Object.entries({ ...current, [key]: next }).filter(([, inner]) => inner !== undefined);
    onChange(isOptional && kept.length === 0 ? undefined : Object.fromEntries(kept));
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
          // A part that is left out as a whole has no fields that must be there.
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
