import {
  type ClipboardHost,
  type ClipboardView,
  isMarkedSecret,
  lookAtClipboard,
  otherTypes,
  pngType,
  textTypes,
} from '../../../host/linux/desktop/clipboard.ts';
import { messageOf } from '../../../lib/errors.ts';

/** What one look at the clipboard has found. */
export type SeenCopy =
  | { kind: 'empty' | 'secret' }
  | { kind: 'image' | 'other'; types: string[] }
  | { kind: 'text'; types: string[]; text: SeenText | { why: string } }
  | { kind: null; why: string };

interface SeenText {
  text: string;
  truncated: boolean;
  /** Bytes as UTF-8; null: more than anybody wants to read. */
  size: number | null;
}

/** A longer text is not read to its end to learn how long it is. */
const mostBytes = 1024 * 1024;

/** One look, of which nothing is repeated: a program that does not hand it over is not asked again before something else is copied. */
export async function lookOnce(host: ClipboardHost, mostTextBytes: number): Promise<SeenCopy> {
  try {
    return await lookAtClipboard(host, (view) => look(view, mostTextBytes));
  } catch (error) {
    return { kind: null, why: sentence(error) };
  }
}

async function look(view: ClipboardView, mostTextBytes: number): Promise<SeenCopy> {
  const offered = await view.offered();
  if (offered === null) return { kind: 'empty' };
  if (isMarkedSecret(offered)) return { kind: 'secret' };
  const types = typesIn(offered);
  const type = textTypes.find((each) => offered.has(each));
  if (type === undefined) return { kind: types.some((each) => each.startsWith('image/')) ? 'image' : 'other', types };
  const text = await readText(view, type, mostTextBytes).catch((error: unknown) => ({ why: sentence(error) }));
  // It may belong to something else, which has marks of its own; then there is another look at once.
  if ('text' in text && !(await view.isSame())) return { kind: null, why: 'Something else was copied meanwhile' };
  return { kind: 'text', types, text };
}

async function readText(view: ClipboardView, type: string, mostTextBytes: number): Promise<SeenText | { why: string }> {
  const handed = await view.fetch(type, mostBytes);
  if (handed === null) return { why: 'The program that owns the clipboard did not hand it over' };
  const bytes = type === 'STRING' ? Buffer.from(Buffer.from(handed.bytes).toString('latin1')) : handed.bytes;
  // Half a character at the end is left out.
  const text = new TextDecoder().decode(bytes.subarray(0, mostTextBytes), { stream: true });
  return { text, truncated: handed.isCut || bytes.length > mostTextBytes, size: handed.isCut ? null : bytes.length };
}

function typesIn(offered: ReadonlySet<string>): string[] {
  const plain = textTypes.some((type) => offered.has(type)) ? ['text/plain'] : [];
  return [...plain, ...[pngType, ...otherTypes].filter((type) => offered.has(type))];
}

const sentence = (error: unknown) => `The clipboard cannot be read: ${messageOf(error)}`;
