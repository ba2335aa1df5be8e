import { type ActionParts, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { refuseWhilePaused } from '../../core/control-pause.ts';
import { createPlaces, type Places } from '../../core/places.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { Clipboard, Copied } from './clipboard.contract.ts';
import type { ClipboardContent, ClipboardSetInput } from './clipboard.schema.ts';

const clipboards: PerPlatform<Clipboard> = {
  linux: async () => (await import('./linux/clipboard.control.ts')).clipboardLinux,
  windows: async () => (await import('./clipboard.control.windows.ts')).clipboardWindows,
};
const what = 'The clipboard';
const scopes = ['clipboard'] as const;
const schemas = () => import('./clipboard.schema.ts');

/** Reads are serialised, since some programs serve one reader at a time. */
const mostWaiting = 16;
const readers = (): { places: Places; tail: Promise<unknown> } => ({
  places: createPlaces(mostWaiting, 'Too many clients are reading the clipboard; try again'),
  tail: Promise.resolve(),
});
/** Each may hold 8 MiB. */
const mostWriting = 8;
const writers = () => createPlaces(mostWriting, 'Too many clients are setting the clipboard; try again');

const clipboardGet = defineAction({
  name: 'clipboard.get',
  description: 'Reads the text or the picture on the clipboard; never one that a password manager has marked',
  input: async () => (await schemas()).clipboardGetInputSchema,
  output: async () => (await schemas()).clipboardGetOutputSchema,
  scopes,
  effect: 'read',
  example: { format: 'text' },
  wire: { event: 'GET_CLIPBOARD', reply: 'CLIPBOARD' },
  unavailable: ({ host }) => unavailableFor(host, clipboards, what),
  async run({ format }, { host, keep, caller }) {
    const clipboard = await requireFor(host, clipboards, what);
    const { mostTextBytes: text, mostPngBytes: png } = await schemas();
    const queue = keep(readers);
    return await queue.places.run(shareIdOf(caller), async () => {
      const reading = queue.tail.then(() => clipboard.read(format ?? null, { text, png }));
      // The queue must not retain the content.
      queue.tail = reading.then(
        () => {},
        () => {},
      );
      return { message: '', data: contentOf(await reading) };
    });
  },
});

function contentOf({ format, bytes }: Copied): ClipboardContent {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    format,
    text: format === 'text' ? content.toString('utf8') : null,
    png: format === 'png' ? content.toString('base64') : null,
    size: bytes.length,
  };
}

const clipboardSet = defineAction({
  name: 'clipboard.set',
  description:
    'Puts a text or a picture onto the clipboard, where it stays until something else is copied or the service ends',
  input: async () => (await schemas()).clipboardSetInputSchema,
  output: async () => (await schemas()).clipboardSetOutputSchema,
  scopes,
  effect: 'write',
  // A picture of 8 MiB in base64, or a text of 1 MiB with every character escaped.
  inputBytes: 12 * 1024 * 1024,
  example: { text: 'Hello' },
  wire: { event: 'CLIPBOARD_SET', reply: 'CLIPBOARD_CHANGED' },
  entities: async () => (await import('./clipboard.controls.ts')).clipboardEntities,
  unavailable: ({ host }) => unavailableFor(host, clipboards, what),
  async run(input, { host, keep, caller, admits, controlPause }) {
    const copied = await copiedFrom(input);
    const clipboard = await requireFor(host, clipboards, what);
    await keep(writers).run(shareIdOf(caller), () =>
      keep(createHolder).hold(clipboard, copied, () => {
        if (!admits(caller)) throw new ServiceError('unauthorized', 'This token was revoked or changed meanwhile');
        refuseWhilePaused(controlPause, { effect: 'write' });
      }),
    );
    const { format, bytes } = copied;
    return {
      message: `The ${format === 'text' ? 'text' : 'picture'} is on the clipboard`,
      data: { format, size: bytes.length },
    };
  },
});

const pngStart = '89504e470d0a1a0a0000000d49484452';

async function copiedFrom({ text, png }: ClipboardSetInput): Promise<Copied> {
  if (png == null) return { format: 'text', bytes: Buffer.from((text ?? '').toWellFormed()) };
  const bytes = Buffer.from(png, 'base64');
  const { mostPngBytes } = await schemas();
  if (bytes.length > mostPngBytes) throw new ServiceError('too_large', 'clipboard.set: png has more than 8 MiB');
  if (bytes.toString('hex', 0, pngStart.length / 2) !== pngStart)
    throw new ServiceError('invalid', 'clipboard.set: png is not a PNG picture');
  return { format: 'png', bytes };
}

/** Holds the last content: on Linux the owner of the clipboard supplies it to other programs on request. */
function createHolder(_parts: ActionParts) {
  let release = () => {};
  let tail: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const hold = async (clipboard: Clipboard, copied: Copied) => {
    if (isOver) throw new ServiceError('failed', 'The service is stopping');
    let isLost = false;
    const next = await clipboard.hold(copied, () => {
      isLost = true;
      if (release === next) release = () => {};
    });
    // The previous content is released last, so that the clipboard is never empty in between.
    release();
    release = isLost ? () => {} : next;
  };
  return {
    /** Calls are serialised; `check` throws if the one whose turn it is may no longer run. */
    async hold(clipboard: Clipboard, copied: Copied, check: () => void): Promise<void> {
      const holding = tail.then(() => {
        check();
        return hold(clipboard, copied);
      });
      tail = holding.catch(() => {});
      await holding;
    },
    async close() {
      isOver = true;
      await tail;
      release();
    },
  };
}

export const clipboardActions = [clipboardGet, clipboardSet] as const;
