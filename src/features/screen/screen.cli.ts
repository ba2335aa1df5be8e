import type { CommandContext } from '../../core/command.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { plain } from '../../lib/text-table.ts';
import type { ScreenCapture } from './screen.schema.ts';

export interface ScreenshotFlags {
  display?: string;
  window?: boolean;
  format?: 'png' | 'webp';
  maxWidth?: string;
}

/** Without a file, or for `-`, the picture goes to standard output, but never to a terminal. */
export async function takeScreenshot(
  context: CommandContext,
  file: string | undefined,
  { display, window = false, format, maxWidth }: ScreenshotFlags,
): Promise<void> {
  const toOutput = file === undefined || file === '-';
  if (toOutput && !context.isJson && context.isForPeople())
    throw new ServiceError(
      'invalid',
      'A picture cannot be printed to a terminal; name a file, or redirect: screenshot > screen.png',
    );
  if (display !== undefined && window) throw new ServiceError('invalid', 'Choose either --display or --window');
  if (maxWidth !== undefined && !/^\d{2,5}$/.test(maxWidth))
    throw new ServiceError(
      'invalid',
      `The width must be a number of pixels from 16 on, but it is ${JSON.stringify(maxWidth)}`,
    );
  const wanted = format ?? (file?.toLowerCase().endsWith('.webp') ? 'webp' : undefined);
  const input = {
    ...(display === undefined ? {} : { display }),
    ...(window ? { window: 'active' } : {}),
    ...(wanted === undefined ? {} : { format: wanted }),
    ...(maxWidth === undefined ? {} : { max_width: Number(maxWidth) }),
  };
  // The response follows the schema of the action.
  const { picture, ...facts } = (await context.call('screen.capture', input)).data as ScreenCapture;
  if (toOutput) return await context.answer({ ...facts, picture }, () => context.write(Buffer.from(picture, 'base64')));
  try {
    context.writeFile(file, Buffer.from(picture, 'base64'));
  } catch (cause) {
    throw new Error(`The picture could not be written: ${messageOf(cause)}`, { cause });
  }
  const { width, height } = facts;
  const what = facts.display === null ? '' : ` of ${facts.display}`;
  await context.answer({ ...facts, file }, plain(`${file}: a picture${what}, ${width} × ${height} pixels`));
}
