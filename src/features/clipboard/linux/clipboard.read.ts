import { messageOf } from '../../../lib/errors.ts';
import { mostReadBytes, type SeenCopy, type SeenText, seenText } from '../clipboard.content.ts';
import {
  type ClipboardHost,
  type ClipboardView,
  isMarkedSecret,
  otherTypes,
  pngType,
  textTypes,
  withClipboardView,
} from './clipboard.selection.ts';

/** No retries: a program that does not supply the content is not asked again before the next change. */
export async function readOnce(host: ClipboardHost): Promise<SeenCopy> {
  try {
    return await withClipboardView(host, readView);
  } catch (error) {
    return { kind: null, why: sentence(error) };
  }
}

async function readView(view: ClipboardView): Promise<SeenCopy> {
  const offered = await view.offered();
  if (offered === null) return { kind: 'empty' };
  if (isMarkedSecret(offered)) return { kind: 'secret' };
  const types = typesIn(offered);
  const type = textTypes.find((each) => offered.has(each));
  if (type === undefined) return { kind: types.some((each) => each.startsWith('image/')) ? 'image' : 'other', types };
  const text = await readText(view, type).catch((error: unknown) => ({ why: sentence(error) }));
  // The text may belong to newer content with its own marks, which is read next.
  if ('text' in text && !(await view.isSame())) return { kind: null, why: 'Something else was copied meanwhile' };
  return { kind: 'text', types, text };
}

async function readText(view: ClipboardView, type: string): Promise<SeenText | { why: string }> {
  const handed = await view.fetch(type, mostReadBytes);
  if (handed === null) return { why: 'The program that owns the clipboard did not supply it' };
  const bytes = type === 'STRING' ? Buffer.from(Buffer.from(handed.bytes).toString('latin1')) : handed.bytes;
  return seenText(bytes, handed.isCut);
}

function typesIn(offered: ReadonlySet<string>): string[] {
  const plain = textTypes.some((type) => offered.has(type)) ? ['text/plain'] : [];
  return [...plain, ...[pngType, ...otherTypes].filter((type) => offered.has(type))];
}

const sentence = (error: unknown) => `The clipboard cannot be read: ${messageOf(error)}`;
