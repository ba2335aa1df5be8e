import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';
import { type Following, followCopies, type KnownCopy } from './linux/clipboard.follow.ts';
import type { SeenCopy } from './linux/clipboard.look.ts';

type Content = NonNullable<FollowedClipboard['content']>;

/** The same as in the schema, which is not loaded here. */
export const shownBytes = 64 * 1024;

const unknown: KnownCopy = {
  why: 'It is looked at only while somebody listens; clipboard.get reads it once',
  mendable: false,
};
const unseen: KnownCopy = { why: 'It is being looked at', mendable: false };

/** Reading it tells what was heard last: nothing is asked again, and nobody is waited for. */
export const followedClipboardLinux: CreateSource<FollowedClipboard, LinuxHost> = (host, { withheld = false }) => {
  let known: KnownCopy = unknown;
  let following: Following | null = null;
  const stop = () => {
    following?.stop();
    following = null;
    known = unknown;
  };
  return {
    read(reasons) {
      following?.look();
      return { content: contentOf(known, reasons) };
    },
    watch(changed) {
      // Those who may not see it make nobody look at it.
      if (withheld) return () => {};
      known = unseen;
      following = followCopies(host, shownBytes, (next) => {
        known = next;
        changed();
      });
      return stop;
    },
    close: stop,
  };
};

function contentOf(known: KnownCopy, reasons: Reasons): Content | null {
  if ('why' in known) {
    reasons[known.mendable ? 'missing' : 'inherent']('content', known.why);
    return null;
  }
  const { seen, changedAt } = known;
  if (changedAt === null) reasons.inherent('content.changed_at', 'It was there before anybody listened');
  return { ...partsOf(seen, reasons), changed_at: changedAt === null ? null : Math.floor(changedAt / 1000) };
}

const nothing = { text: null, truncated: false, types: [], size: null };
const whyNoText: Record<'empty' | 'secret' | 'image' | 'other', string> = {
  empty: 'The clipboard is empty',
  secret: 'It is marked as a secret, as password managers do, so it is not handed out',
  image: 'It is a picture; clipboard.get reads it where it is a PNG',
  other: 'It is neither text nor a picture',
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
  if (text.size === null) reasons.inherent('content.size', 'It has more than 1 MiB, and was not read to its end');
  return { kind, types, ...text };
}
