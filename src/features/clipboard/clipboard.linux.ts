import type { CreateSource } from '../../core/module.ts';
import type { FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { type KnownCopy, mostReadBytes, type SeenCopy, type SeenText, seenText } from './clipboard.content.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';
import { createClipboardSource, createCopyReader, type Following } from './clipboard.source.ts';
import {
  type ClipboardHost,
  type ClipboardView,
  followClipboard,
  isMarkedSecret,
  NoClipboard,
  otherTypes,
  pngType,
  textTypes,
  withClipboardView,
} from './linux/clipboard.selection.ts';

export const followedClipboardLinux: CreateSource<FollowedClipboard, LinuxHost> = (host, { withheld = false }) =>
  createClipboardSource(withheld, (report) => followCopies(host, report));

/** Reports the content of the clipboard now and after each change. */
function followCopies(host: ClipboardHost, report: (known: KnownCopy) => void): Following {
  const { clock, session } = host;
  let isOver = false;
  let isConnecting = false;
  let connection: { place: string; stop(): void } | null = null;
  let changedAt: number | null = null;
  /** A session without a clipboard. It is found again as the same object while the search is cached. */
  let unusable: FoundSession | null = null;

  const reader = createCopyReader(
    clock,
    () => readOnce(host),
    (seen) => {
      // Without a connection the content could be outdated.
      if (connection !== null) report({ seen, changedAt });
    },
  );

  const changed = () => {
    // Changes reported while connecting happened before.
    if (connection === null) return;
    changedAt = clock.now();
    reader.again();
  };

  const gone = () => {
    connection = null;
    report({ why: 'The display server of the session has ended', mendable: true });
  };

  const connect = async () => {
    if (isOver || isConnecting || connection !== null) return;
    isConnecting = true;
    let found: FoundSession | null = null;
    try {
      found = await session.find();
      if (found === unusable) return;
      let hasEnded = false;
      const stop = await followClipboard(host, found, changed, () => {
        hasEnded = true;
        gone();
      });
      if (isOver) return stop();
      if (hasEnded) return;
      connection = { place: placeOf(found), stop };
      changedAt = null;
      reader.again();
    } catch (error) {
      const mendable = !(error instanceof NoClipboard);
      if (!mendable) unusable = found;
      if (!isOver) report({ why: `The clipboard cannot be followed: ${messageOf(error)}`, mendable });
    } finally {
      isConnecting = false;
    }
  };

  /** Not every change of the sockets concerns this desktop. */
  const moved = async () => {
    const place = placeOf(await session.find());
    if (isOver) return;
    if (connection !== null && connection.place !== place) {
      connection.stop();
      connection = null;
    }
    await connect();
  };

  const stopWatching = session.watch(() => void moved());
  void connect();
  return {
    retry: () => void connect(),
    stop() {
      isOver = true;
      stopWatching();
      reader.stop();
      connection?.stop();
      connection = null;
    },
  };
}

const placeOf = ({ wayland, x11 }: FoundSession) => JSON.stringify([wayland, x11?.socket ?? null]);

/** No retries: a program that does not supply the content is not asked again before the next change. */
async function readOnce(host: ClipboardHost): Promise<SeenCopy> {
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
