import { isObject } from '../../lib/values.ts';

/** A partial success. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/** The partial success in a response; null: everything was accepted, or the body is not understood. */
export function parseExportResponse(body: Uint8Array, contentType: string | null): PartialSuccess | null {
  try {
    const found = /\bjson\b/i.test(contentType ?? '') ? fromJson(body) : fromProtobuf(body);
    // A message without rejected points is a warning.
    return found.rejected === 0 && found.message === '' ? null : found;
  } catch {
    return null;
  }
}

function fromJson(body: Uint8Array): PartialSuccess {
  const value: unknown = JSON.parse(new TextDecoder().decode(body) || '{}');
  const partial = isObject(value) && isObject(value.partialSuccess) ? value.partialSuccess : {};
  return { rejected: Number(partial.rejectedDataPoints ?? 0) || 0, message: String(partial.errorMessage ?? '') };
}

/** ExportMetricsServiceResponse: partial_success = 1; in it rejected_data_points = 1, error_message = 2. */
function fromProtobuf(body: Uint8Array): PartialSuccess {
  const found: PartialSuccess = { rejected: 0, message: '' };
  for (const [field, value] of fieldsOf(body)) {
    if (field !== 1 || typeof value === 'number') continue;
    for (const [inner, given] of fieldsOf(value)) {
      if (inner === 1 && typeof given === 'number') found.rejected = given;
      if (inner === 2 && typeof given !== 'number') found.message = new TextDecoder().decode(given);
    }
  }
  return found;
}

/** Varints and length-delimited fields, by field number. Throws on other types. */
function* fieldsOf(bytes: Uint8Array): Generator<[number, number | Uint8Array]> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 64; shift += 7) {
      const byte = bytes[at];
      if (byte === undefined) throw new Error('it is truncated within a number');
      at += 1;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new Error('a number is not terminated');
  };
  while (at < bytes.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === 0) yield [Math.floor(tag / 8), varint()];
    else if (type === 2) {
      const length = varint();
      if (length > bytes.length - at) throw new Error('a part is longer than the whole');
      yield [Math.floor(tag / 8), bytes.subarray(at, at + length)];
      at += length;
    } else if (type === 1 || type === 5) at += type === 1 ? 8 : 4;
    else throw new Error('unknown kind of field');
  }
}
