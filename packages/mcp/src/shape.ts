/** The first mistake in an untrusted value. */
export interface Issue {
  path: readonly string[];
  problem: string;
}

/** null: the value has this shape. */
export type Shape = (value: unknown) => Issue | null;

export const text: Shape = (value) => (typeof value === 'string' ? null : wrong('string', value));

export const flag: Shape = (value) => (typeof value === 'boolean' ? null : wrong('boolean', value));

const integer: Shape = (value) => (Number.isSafeInteger(value) ? null : wrong('int', value));

export const optional =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined ? null : shape(value);

export const oneOf =
  (...values: readonly string[]): Shape =>
  (value) =>
    typeof value === 'string' && values.includes(value)
      ? null
      : { path: [], problem: `Invalid option: expected one of ${values.map((each) => `"${each}"`).join('|')}` };

export const anyOf =
  (...shapes: readonly Shape[]): Shape =>
  (value) =>
    shapes.some((shape) => shape(value) === null) ? null : { path: [], problem: 'Invalid input' };

/** Fields that are not named may hold anything. */
export const object = (fields: Readonly<Record<string, Shape>>): Shape => {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return wrong('object', value);
    for (const [name, shape] of entries) {
      const issue = shape(Object.hasOwn(value, name) ? value[name] : undefined);
      if (issue !== null) return { path: [name, ...issue.path], problem: issue.problem };
    }
    return null;
  };
};

export const record =
  (shape?: Shape): Shape =>
  (value) => {
    if (!isObject(value)) return wrong('record', value);
    return shape === undefined ? null : firstOf(Object.entries(value), shape);
  };

export const list =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value)
      ? firstOf(
          value.map((entry, index) => [String(index), entry]),
          shape,
        )
      : wrong('array', value);

/** Request IDs and progress tokens. */
export const idShape = anyOf(text, integer);

/** Whether an untrusted value is an object, and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstOf(entries: readonly [name: string, value: unknown][], shape: Shape): Issue | null {
  for (const [name, value] of entries) {
    const issue = shape(value);
    if (issue !== null) return { path: [name, ...issue.path], problem: issue.problem };
  }
  return null;
}

function wrong(expected: string, value: unknown): Issue {
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { path: [], problem: `Invalid input: expected ${expected}, received ${received}` };
}
