import { jsonText } from '../../lib/json-text.ts';

/** Texts of entries, as long as the entries exist. */
const texts = new WeakMap<object, string>();

/** Short lists are serialised as fast as their texts are found. */
const worthKeeping = 16;

/**
 * Serialises like `JSON.stringify`, for payloads whose long lists contain the same objects as long as nothing about them changes: only new
 * entries are serialised.
 */
export function entriesJson(payload: unknown): string {
  if (Array.isArray(payload)) return listJson(payload);
  if (typeof payload !== 'object' || payload === null) return jsonText(payload);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(payload)) {
    const text = Array.isArray(value) ? listJson(value) : jsonText(value);
    if (text !== undefined) fields.push(`${jsonText(name)}:${text}`);
  }
  return `{${fields.join()}}`;
}

function listJson(list: readonly unknown[]): string {
  return list.length < worthKeeping ? jsonText(list) : `[${list.map(entryJson).join()}]`;
}

function entryJson(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return jsonText(entry);
  const known = texts.get(entry);
  if (known !== undefined) return known;
  const text = jsonText(entry);
  texts.set(entry, text);
  return text;
}
