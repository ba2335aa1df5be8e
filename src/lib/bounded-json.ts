/** The JSON of an untrusted text is too deep or has too many values to be parsed and validated at once. */
export class CostlyJson extends Error {}

/** No request needs more; the time for deeper or longer JSON would be missing for other clients. */
export const jsonLimits = { depth: 64, values: 5000 };

/** Parses untrusted text. Throws CostlyJson before parsing, and SyntaxError. */
export function parseBoundedJson(text: string, limits = jsonLimits): unknown {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === comma || code === openBracket || code === openBrace) {
      values += 1;
      if (values > limits.values) throw new CostlyJson(`JSON may contain at most ${limits.values} values`);
      if (code !== comma) depth += 1;
      if (depth > limits.depth) throw new CostlyJson(`JSON may be nested at most ${limits.depth} levels deep`);
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return JSON.parse(text);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Position of the closing quote; the end of the text if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
