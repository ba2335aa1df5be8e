import mime from 'mime-types';

/** The table of src/features/files/content-types.ts, as source. The library itself takes 12 MB when it is loaded, its text 40 KB. */
export function contentTypesSource(): string {
  const extensions = new Map<string, string[]>();
  for (const [extension, type] of Object.entries(mime.types)) {
    extensions.set(type, [...(extensions.get(type) ?? []), extension]);
  }
  const lines = [...extensions].map(([type, names]) => [type, ...names.sort()].join(' ')).sort();
  return [
    '/** Types and their extensions, as the library mime-types has them. Written by "npm run generate"; do not edit. */',
    'export const contentTypesText = `',
    ...lines,
    '`;',
    '',
  ].join('\n');
}
