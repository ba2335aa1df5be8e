import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FileEntry } from '../../../src/features/files/files.schema.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { basePath } from '../../state/base-path.ts';
import { send } from '../../state/session.ts';
import { bytes } from '../../units.ts';

interface PreviewProps {
  entry: FileEntry;
  base: string;
  /** Inside the base. */
  path: string;
}

/** A file as far as a browser can show it. Players ask for ranges, so one can go anywhere in a film at once. */
export function Preview({ entry: { name, size, contentType = '' }, base, path }: PreviewProps) {
  const failed = useSignal(false);
  const { url, problem, renew } = useTicket(base, path);
  /** Position of the player when its ticket expired. */
  const resumeAt = useRef<{ time: number; playing: boolean } | null>(null);
  const tried = useRef(false);
  const [kind] = contentType.split('/');
  const onError = ({ currentTarget: element }: { currentTarget: EventTarget }) => {
    if (tried.current) {
      failed.value = true;
      return;
    }
    // The ticket may have run out, as while the machine slept: once more with a new one.
    tried.current = true;
    if (element instanceof HTMLMediaElement)
      resumeAt.current = { time: element.currentTime, playing: !element.paused && element.currentTime > 0 };
    void renew();
  };
  const onLoadedData = ({ currentTarget: player }: { currentTarget: HTMLMediaElement }) => {
    tried.current = false;
    const before = resumeAt.current;
    resumeAt.current = null;
    if (before === null) return;
    player.currentTime = before.time;
    if (before.playing) void player.play().catch(() => {});
  };
  const shown = url !== null && !failed.value;
  return (
    <figure class="preview">
      {shown && kind === 'image' ? <img src={url} alt={name} onError={onError} /> : null}
      {shown && kind === 'audio' ? (
        // biome-ignore lint/a11y/useMediaCaption: files of the user come without captions
        <audio src={url} controls aria-label={name} onError={onError} onLoadedData={onLoadedData} />
      ) : null}
      {shown && kind === 'video' ? (
        // biome-ignore lint/a11y/useMediaCaption: files of the user come without captions
        <video src={url} controls aria-label={name} onError={onError} onLoadedData={onLoadedData} />
      ) : null}
      <figcaption>
        {name} · {bytes(size)}
        {url === null ? null : (
          <>
            {' · '}
            <a href={url} download={name}>
              Download
            </a>
          </>
        )}
        {failed.value ? (
          <span class="quiet"> · The service does not serve this file, or this browser cannot show it.</span>
        ) : null}
        {problem === '' ? null : <span class="quiet"> · {problem}</span>}
      </figcaption>
    </figure>
  );
}

/** Far below the lifetime of a ticket. */
const renewEveryMs = 30_000;

/** An address of this file that is valid while it is shown, and a minute or two afterwards: it contains no token. */
function useTicket(base: string, path: string): { url: string | null; problem: string; renew(): Promise<void> } {
  const ticket = useSignal<string | null>(null);
  const problem = useSignal('');
  const renew = async () => {
    try {
      const response = (await send('POST', '/api/media/file/ticket', { base, path })) as { ticket: string };
      ticket.value = response.ticket;
      problem.value = '';
    } catch (thrown) {
      problem.value = messageOf(thrown);
    }
  };
  useEffect(() => {
    void renew();
    const timer = setInterval(() => {
      // One that has run out is replaced when the player misses it, not before: that would interrupt it.
      if (ticket.value !== null) void send('POST', '/api/media/file/ticket', { ticket: ticket.value }).catch(() => {});
    }, renewEveryMs);
    return () => clearInterval(timer);
  }, [base, path]);
  return {
    url: ticket.value === null ? null : `${basePath}/api/media/file/data?ticket=${ticket.value}`,
    problem: problem.value,
    renew,
  };
}
