import type { Files } from '../../../host/linux/files.ts';

/** Identification of the distribution. https://man7.org/linux/man-pages/man5/os-release.5.html */
export function readOsRelease(files: Files): Map<string, string> {
  return parseOsRelease(files.text('/etc/os-release') ?? files.text('/usr/lib/os-release') ?? '');
}

export function parseOsRelease(text: string): Map<string, string> {
  const entries = text.split('\n').map((line) => /^\s*([A-Za-z0-9_]+)=(.*)$/.exec(line));
  return new Map(
    entries.flatMap((entry) => (entry === null ? [] : [[entry[1] ?? '', unquote((entry[2] ?? '').trim())]])),
  );
}

/** Values have the syntax of a shell assignment. */
function unquote(value: string): string {
  if (value.startsWith("'")) return value.replace(/^'(.*)'$/, '$1');
  return value.replace(/^"(.*)"$/, '$1').replace(/\\(["$`\\])/g, '$1');
}
