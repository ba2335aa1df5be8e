import mime from 'mime-types';

const lineWidth = 200;

/** The table of src/features/files/content-types.ts, as source. The library itself takes 12 MB when it is loaded, its text 40 KB. */
export function contentTypesSource(): string {
  const extensions = new Map<string, string[]>();
  for (const [extension, type] of Object.entries(mime.types)) {
    extensions.set(type, [...(extensions.get(type) ?? []), extension]);
  }
  const entries = [...extensions].map(([type, names]) => [type, ...names.sort()].join(' ')).sort();
  const lines: string[] = [];
  for (const entry of entries) {
    const joined = `${lines.at(-1)}|${entry}`;
    if (lines.length > 0 && joined.length <= lineWidth) lines[lines.length - 1] = joined;
    else lines.push(entry);
  }
  return [
    '/** Types and their extensions, as the library mime-types has them. Written by "npm run generate"; do not edit. */',
    'export const contentTypesText = `',
    ...lines,
    '`;',
    '',
  ].join('\n');
}
