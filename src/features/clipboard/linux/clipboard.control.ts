import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { Clipboard, ClipboardFormat, Copied } from '../clipboard.contract.ts';
import {
  changedClipboard,
  emptyClipboard,
  nothingOnClipboard,
  secretOnClipboard,
  tooLargeOnClipboard,
} from '../clipboard.refusals.ts';
import {
  type ClipboardHost,
  type ClipboardView,
  holdClipboard,
  isMarkedSecret,
  NoClipboard,
  openClipboard,
  pngType,
  textTypes,
  withClipboardView,
} from './clipboard.selection.ts';

export const clipboardLinux = (host: ClipboardHost): Clipboard => ({
  async unavailable() {
    try {
      await (await openClipboard(host)).close();
      return null;
    } catch (error) {
      return `The clipboard cannot be used: ${messageOf(error)}`;
    }
  },
  async read(wanted, most) {
    return await withClipboardView(host, (view) => read(view, wanted, most).catch(refuse('read'))).catch(
      refuse('used'),
    );
  },
  hold: (copied, lost) => holdClipboard(host, offersOf(copied), lost).catch(refuse('changed')),
});

async function read(
  view: ClipboardView,
  wanted: ClipboardFormat | null,
  most: Record<ClipboardFormat, number>,
): Promise<Copied> {
  const offered = await view.offered();
  if (offered === null) throw emptyClipboard();
  refuseSecret(offered);
  const found = choose(offered, wanted);
  if (found === null) throw nothingOnClipboard(wanted);
  const { format, type } = found;
  const handed = await view.fetch(type, most[format]);
  if (handed === null) throw new ServiceError('failed', 'The program that owns the clipboard did not supply it');
  const { bytes, isCut } = handed;
  if (isCut) throw tooLargeOnClipboard(format, most[format]);
  // Something else may have been copied between the two requests.
  if (!(await view.isSame())) {
    refuseSecret((await view.offered()) ?? new Set());
    throw changedClipboard();
  }
  return { format, bytes: type === 'STRING' ? Buffer.from(Buffer.from(bytes).toString('latin1')) : bytes };
}

function choose(offered: ReadonlySet<string>, wanted: ClipboardFormat | null) {
  const text = wanted === 'png' ? undefined : textTypes.find((type) => offered.has(type));
  if (text !== undefined) return { format: 'text', type: text } as const;
  return wanted !== 'text' && offered.has(pngType) ? ({ format: 'png', type: pngType } as const) : null;
}

function offersOf({ format, bytes }: Copied): Map<string, Uint8Array> {
  if (format === 'png') return new Map([[pngType, bytes]]);
  // STRING is Latin-1, which cannot represent every text.
  return new Map([...textTypes, 'TEXT'].filter((type) => type !== 'STRING').map((type) => [type, bytes]));
}

function refuseSecret(offered: ReadonlySet<string>): void {
  if (!isMarkedSecret(offered)) return;
  throw secretOnClipboard();
}

const refuse =
  (verb: 'used' | 'read' | 'changed') =>
  (cause: unknown): never => {
    if (cause instanceof ServiceError) throw cause;
    const code = cause instanceof NoClipboard ? 'unsupported' : 'failed';
    throw new ServiceError(code, `The clipboard cannot be ${verb}: ${messageOf(cause)}`, { cause });
  };
