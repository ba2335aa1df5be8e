import path from 'node:path';
import type { TransportParts } from '../../core/transport.ts';

/** Headers that Hostler sets. */
const ours = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding', 'connection', 'host'];

/** Reads the headers from a file that only its owner can read. Errors never contain a value: values may be secrets. */
export function readHeaders(
  storage: Pick<TransportParts['host']['storage'], 'read' | 'permissions' | 'exposure'>,
  file: string,
): Record<string, string> {
  if (file === '') return {};
  if (!path.isAbsolute(file)) throw new Error(`otlp.headersFile must be an absolute path, not ${file}`);
  if (((storage.permissions(file) ?? 0) & 0o077) !== 0)
    throw new Error(`${file} can be read or changed by other users. Run "chmod 600 ${file}"`);
  const exposure = storage.exposure(file);
  if (exposure !== null) throw new Error(`${file} is not safe: ${exposure.problem}. Run "${exposure.fix}"`);
  const text = storage.read(file);
  if (text === null) throw new Error(`${file} does not exist`);
  return parseHeaders(text, file);
}

/** `Name: value` on each line; empty lines and lines that start with # are skipped. */
export function parseHeaders(text: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name = '', value = ''] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(\S.*?)\s*$/.exec(line) ?? [];
    const place = `line ${index + 1} of ${file}`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
    if (name === '' || /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))
      throw new Error(`${place} must have the form "Name: value"`);
    if (ours.includes(name.toLowerCase())) throw new Error(`${place} sets ${name}, which only Hostler sets`);
    headers[name] = value;
  }
  return headers;
}
