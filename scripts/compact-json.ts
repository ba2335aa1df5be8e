const lineWidth = 160;

/** JSON in which each object and list that fits stands on one line. */
export function compactJson(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + line.length <= lineWidth) return line;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const parts = Array.isArray(value)
    ? value.map((each) => compactJson(each, inner))
    : Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${compactJson(each, inner)}`);
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

/** With spaces between the parts. */
function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const parts = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${oneLine(each)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
