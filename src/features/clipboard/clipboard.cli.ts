import type { CliContext } from '../../cli/context.ts';
import { listenToModule } from '../../cli/data.ts';
import { UsageError } from '../../cli/exit.ts';
import { requireService } from '../../cli/running-service.ts';
import { type ClipboardContent, type FollowedClipboard, mostPngBytes, mostTextBytes } from './clipboard.schema.ts';

export interface ClipboardFlags {
  png?: boolean;
  json?: boolean;
}

export async function printClipboard(
  context: CliContext,
  { png = false, json = false }: ClipboardFlags,
): Promise<void> {
  if (png && !json && context.isForPeople())
    throw new UsageError('A picture cannot be shown here; send it to a file: clipboard get --png > picture.png');
  const service = await requireService(context);
  const format = png ? 'png' : json ? null : 'text';
  // What this service answers is what the schema of the action promises.
  const content = (await service.perform('clipboard.get', { format })).data as ClipboardContent;
  if (json) return context.print(JSON.stringify(content, null, 2));
  if (png) return context.write(Buffer.from(content.png ?? '', 'base64'));
  // People get it as lines, which cannot steer their terminal; programs and files get it as it is.
  if (context.isForPeople()) context.print(content.text ?? '');
  else context.write(Buffer.from(content.text ?? ''));
}

/** Only what is copied from now on, unless all of it is wanted. */
export async function followClipboardText(
  context: CliContext,
  { json = false }: Pick<ClipboardFlags, 'json'>,
): Promise<void> {
  await requireService(context);
  let shown = '';
  await listenToModule(context, 'clipboard', (payload) => {
    const { content } = payload as FollowedClipboard;
    const text = JSON.stringify(content);
    if (text === shown) return;
    shown = text;
    if (json) return context.print(text);
    if (content?.text == null || content.changed_at === null) return;
    context.print(content.text);
    if (content.truncated) context.complain('hostler: The text is longer; "clipboard get" prints up to 1 MiB of it');
  });
}

export async function changeClipboard(
  context: CliContext,
  text: string | undefined,
  { png = false, json = false }: ClipboardFlags,
): Promise<void> {
  if (text !== undefined && png) throw new UsageError('A picture is read from standard input: leave the text out');
  const input = png
    ? { png: (await standardInput(mostPngBytes)).toString('base64') }
    : { text: text ?? (await standardInput(mostTextBytes)).toString('utf8') };
  const done = await (await requireService(context)).perform('clipboard.set', input);
  context.print(json ? JSON.stringify(done, null, 2) : done.message);
}

async function standardInput(mostBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of process.stdin) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > mostBytes) throw new UsageError(`Standard input has more than ${mostBytes / 2 ** 20} MiB`);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
