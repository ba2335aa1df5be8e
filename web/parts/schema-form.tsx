/** The parts of JSON Schema that our settings use. */
export interface FormSchema {
  type?: string;
  description?: string;
  properties?: Record<string, FormSchema>;
  additionalProperties?: FormSchema | boolean;
  items?: FormSchema;
  enum?: string[];
  anyOf?: FormSchema[];
  minimum?: number;
  maximum?: number;
}

interface SchemaFieldProps {
  /** Dotted, as people write it. */
  path: string;
  schema: FormSchema;
  value: unknown;
  /** What is wrong, by path. */
  problems: ReadonlyMap<string, string>;
  /** Why something cannot be changed here; null: it can. */
  locked(path: string): string | null;
  onChange(value: unknown): void;
}

export function SchemaField(props: SchemaFieldProps) {
  const { path, schema, value, locked } = props;
  const lock = locked(path);
  if (schema.type === 'object' && schema.properties !== undefined) return <ObjectField {...props} lock={lock} />;
  if (schema.type === 'object') return <JsonField {...props} lock={lock} />;
  if (schema.type === 'array') {
    return schema.items?.type === 'string' ? (
      <LinesField {...props} lock={lock} />
    ) : (
      <JsonField {...props} lock={lock} />
    );
  }
  return <ScalarField {...props} value={value} lock={lock} />;
}

type Locked = SchemaFieldProps & { lock: string | null };

function ObjectField({ path, schema, value, lock, onChange, ...rest }: Locked) {
  const current = isRecord(value) ? value : {};
  return (
    <fieldset disabled={lock !== null}>
      <legend>{path}</legend>
      {lock === null ? null : <p class="small">{lock}</p>}
      {Object.entries(schema.properties ?? {}).map(([key, field]) => (
        <SchemaField
          key={key}
          {...rest}
          path={`${path}.${key}`}
          schema={field}
          value={current[key]}
          onChange={(next) => onChange({ ...current, [key]: next })}
        />
      ))}
    </fieldset>
  );
}

function ScalarField({ path, schema, value, problems, lock, onChange }: Locked) {
  const id = `setting-${path}`;
  const problem = problems.get(path);
  const shared = {
    id,
    disabled: lock !== null,
    'aria-describedby': `${id}-about`,
    'aria-invalid': problem !== undefined,
  };
  return (
    <div class="setting">
      <label for={id}>{path}</label>
      {schema.type === 'boolean' ? (
        <input
          type="checkbox"
          {...shared}
          checked={value === true}
          onChange={({ currentTarget: { checked } }) => onChange(checked)}
        />
      ) : schema.enum !== undefined ? (
        <select {...shared} value={String(value)} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {schema.enum.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : schema.type === 'integer' || schema.type === 'number' ? (
        <input
          type="number"
          {...shared}
          min={schema.minimum}
          max={schema.maximum}
          value={String(value ?? '')}
          onInput={({ currentTarget: { valueAsNumber } }) => onChange(valueAsNumber)}
        />
      ) : (
        <input {...shared} value={String(value ?? '')} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
      <About id={id} schema={schema} problem={problem} lock={lock} />
    </div>
  );
}

/** A list of texts, one on each line. */
function LinesField({ path, schema, value, problems, lock, onChange }: Locked) {
  const id = `setting-${path}`;
  const problem = problemBelow(problems, path);
  const lines = Array.isArray(value) ? value : [];
  return (
    <div class="setting">
      <label for={id}>{path}</label>
      <textarea
        id={id}
        rows={Math.min(8, lines.length + 1)}
        disabled={lock !== null}
        aria-describedby={`${id}-about`}
        aria-invalid={problem !== undefined}
        onChange={({ currentTarget }) => onChange(currentTarget.value.split('\n').filter((line) => line.trim() !== ''))}
      >
        {lines.join('\n')}
      </textarea>
      <About id={id} schema={schema} problem={problem} lock={lock} hint="One on each line." />
    </div>
  );
}

/** Lists of objects and maps, as text. */
function JsonField({ path, schema, value, problems, lock, onChange }: Locked) {
  const id = `setting-${path}`;
  const problem = problemBelow(problems, path);
  const text = JSON.stringify(value ?? null, null, 2);
  return (
    <div class="setting">
      <label for={id}>{path}</label>
      <textarea
        id={id}
        class="code"
        rows={Math.min(16, text.split('\n').length + 1)}
        disabled={lock !== null}
        aria-describedby={`${id}-about`}
        aria-invalid={problem !== undefined}
        onChange={({ currentTarget }) => {
          try {
            onChange(JSON.parse(currentTarget.value));
            currentTarget.setCustomValidity('');
          } catch {
            currentTarget.setCustomValidity('This is not JSON');
            currentTarget.reportValidity();
          }
        }}
      >
        {text}
      </textarea>
      <About id={id} schema={schema} problem={problem} lock={lock} hint="As JSON." />
    </div>
  );
}

interface AboutProps {
  id: string;
  schema: FormSchema;
  problem: string | undefined;
  lock: string | null;
  hint?: string;
}

function About({ id, schema, problem, lock, hint = '' }: AboutProps) {
  return (
    <p id={`${id}-about`} class="small">
      {problem === undefined ? null : <span class="problem">{problem} </span>}
      {[schema.description === undefined ? '' : `${schema.description}.`, hint, lock ?? ''].filter(Boolean).join(' ')}
    </p>
  );
}

const problemBelow = (problems: ReadonlyMap<string, string>, path: string) =>
  [...problems].find(([where]) => where === path || where.startsWith(`${path}.`))?.[1];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
