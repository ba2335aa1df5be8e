import type { CommandContext } from '../../core/command.ts';
import { ServiceError } from '../../lib/errors.ts';
import { type ClipboardContent, type FollowedClipboard, mostPngBytes, mostTextBytes } from './clipboard.schema.ts';

interface ClipboardFlags {
  png?: boolean;
}

export async function printClipboard(context: CommandContext, { png = false }: ClipboardFlags): Promise<void> {
  const { isJson } = context;
  if (png && !isJson && context.isForPeople())
    throw new ServiceError(
      'invalid',
      'A picture cannot be shown here; send it to a file: clipboard get --png > picture.png',
    );
  const format = png ? 'png' : isJson ? null : 'text';
  const content = (await context.call('clipboard.get', { format })).data as ClipboardContent;
  if (isJson) return await context.answer(content);
  if (png) return context.write(Buffer.from(content.png ?? '', 'base64'));
  // print() removes control sequences for a terminal; programs and files get the exact bytes.
  if (context.isForPeople()) context.print(content.text ?? '');
  else context.write(Buffer.from(content.text ?? ''));
}

/** Prints texts copied from now on; as JSON, also the current content and other kinds. */
export async function followClipboardText(context: CommandContext): Promise<void> {
  let shown = '';
  await context.follow('clipboard', (payload) => {
    const { content } = payload as FollowedClipboard;
    const text = JSON.stringify(content);
    if (text === shown) return;
    shown = text;
    if (context.isJson) return context.print(text);
    if (content?.text == null || content.changed_at === null) return;
    context.print(content.text);
    if (content.truncated) context.complain('hostler: The text is longer; "clipboard get" prints up to 1 MiB of it');
  });
}

export async function changeClipboard(
  context: CommandContext,
  text: string | undefined,
  { png = false }: ClipboardFlags,
): Promise<void> {
  if (text !== undefined && png)
    throw new ServiceError('invalid', 'A picture is read from standard input: leave the text out');
  const input = png
    ? { png: (await inputOf(context, mostPngBytes)).toString('base64') }
    : { text: text ?? (await inputOf(context, mostTextBytes)).toString('utf8') };
  const done = await context.call('clipboard.set', input);
  await context.answer(done, done.message);
}

async function inputOf({ standardInput }: CommandContext, mostBytes: number): Promise<Buffer> {
  const bytes = await standardInput(mostBytes);
  if (bytes === null) throw new ServiceError('invalid', `Standard input has more than ${mostBytes / 2 ** 20} MiB`);
  return bytes;
}
