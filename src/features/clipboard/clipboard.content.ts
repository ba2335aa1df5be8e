import type { Reasons } from '../../core/reasons.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';

type Content = NonNullable<FollowedClipboard['content']>;

export type SeenCopy =
  | { kind: 'empty' | 'secret' }
  | { kind: 'image' | 'other'; types: string[] }
  | { kind: 'text'; types: string[]; text: SeenText | { why: string } }
  | { kind: null; why: string };

export interface SeenText {
  text: string;
  truncated: boolean;
  /** Bytes as UTF-8; null: more than `mostReadBytes`. */
  size: number | null;
}

/** `changedAt`: Unix milliseconds; null: copied before the clipboard was followed. */
export type KnownCopy = { seen: SeenCopy; changedAt: number | null } | { why: string; mendable: boolean };

/** The reported part of a text; the same as in the schema, which is not loaded here. */
export const shownBytes = 64 * 1024;
/** A longer text is not read to its end, so its size is unknown. */
export const mostReadBytes = 1024 * 1024;

/** `isCut`: the text is longer than these bytes of UTF-8. */
export function seenText(bytes: Uint8Array, isCut: boolean): SeenText {
  // Half a character at the end is left out.
  const text = new TextDecoder().decode(bytes.subarray(0, shownBytes), { stream: true });
  return { text, truncated: isCut || bytes.length > shownBytes, size: isCut ? null : bytes.length };
}

export function contentOf(known: KnownCopy, reasons: Reasons): Content | null {
  if ('why' in known) {
    reasons[known.mendable ? 'missing' : 'inherent']('content', known.why);
    return null;
  }
  const { seen, changedAt } = known;
  if (changedAt === null)
    reasons.inherent('content.changed_at', 'The content was copied before Hostler began to watch the clipboard');
  return { ...partsOf(seen, reasons), changed_at: changedAt === null ? null : Math.floor(changedAt / 1000) };
}

const nothing = { text: null, truncated: false, types: [], size: null };
const whyNoText: Record<'empty' | 'secret' | 'image' | 'other', string> = {
  empty: 'The clipboard is empty',
  secret: 'The content is marked as a secret, as by a password manager, and is not reported',
  image: 'The content is a picture; clipboard.get reads it if it is a PNG',
  other: 'The content is neither text nor a picture',
};

function partsOf(seen: SeenCopy, reasons: Reasons): Omit<Content, 'changed_at'> {
  const without = (why: string, say: 'missing' | 'inherent') => {
    for (const field of ['content.text', 'content.size']) reasons[say](field, why);
  };
  if (seen.kind === null) {
    reasons.missing('content.kind', seen.why);
    without(seen.why, 'missing');
    return { ...nothing, kind: null };
  }
  if (seen.kind !== 'text') {
    without(whyNoText[seen.kind], 'inherent');
    return { ...nothing, kind: seen.kind, types: 'types' in seen ? seen.types : [] };
  }
  const { kind, types, text } = seen;
  if ('why' in text) {
    without(text.why, 'missing');
    return { ...nothing, kind, types };
  }
  if (text.size === null)
    reasons.inherent('content.size', 'The content is larger than 1 MiB and was not read completely');
  return { kind, types, ...text };
}
