import { requireDesktop, whyNoInputDesktop } from '../../host/windows/desktop-access.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { Clipboard, ClipboardFormat } from './clipboard.contract.ts';
import { emptyClipboard, nothingOnClipboard, secretOnClipboard, tooLargeOnClipboard } from './clipboard.refusals.ts';
import { type ClipboardFound, clipboardLibrary } from './user32-clipboard.windows.ts';

/** Windows stores the content itself, so nothing has to be held. */
export const clipboardWindows = (host: Pick<WindowsHost, 'native' | 'nativeElsewhere'>): Clipboard => {
  const clipboard = host.nativeElsewhere(clipboardLibrary);
  return {
    unavailable: () => whyNoInputDesktop(host),
    async read(wanted, most) {
      await requireDesktop(host);
      const kinds: ClipboardFormat[] = wanted === null ? ['text', 'png'] : [wanted];
      const found = await clipboard.read(kinds, most).catch(refuse('read'));
      return 'problem' in found ? refuseProblem(found, wanted, most) : { format: found.kind, bytes: found.bytes };
    },
    async hold({ format, bytes }) {
      await requireDesktop(host);
      const outcome = await clipboard.write(format, bytes).catch(refuse('changed'));
      if (outcome === 'busy') throw busy();
      if (outcome === 'failed') throw new ServiceError('failed', 'Windows did not accept the content');
      return () => {};
    },
  };
};

function refuseProblem(
  found: Extract<ClipboardFound, { problem: string }>,
  wanted: ClipboardFormat | null,
  most: Record<ClipboardFormat, number>,
): never {
  switch (found.problem) {
    case 'busy':
      throw busy();
    case 'empty':
      throw emptyClipboard();
    case 'secret':
      throw secretOnClipboard();
    case 'none':
      throw nothingOnClipboard(wanted);
    case 'too large':
      throw tooLargeOnClipboard(found.kind, most[found.kind]);
    case 'failed':
      throw new ServiceError('failed', 'The program that owns the clipboard did not supply it');
  }
}

const busy = () => new ServiceError('conflict', 'Another program keeps the clipboard open; try again');

const refuse =
  (verb: 'read' | 'changed') =>
  (cause: unknown): never => {
    throw new ServiceError('failed', `The clipboard cannot be ${verb}: ${messageOf(cause)}`, { cause });
  };
