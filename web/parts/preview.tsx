import { useSignal } from '@preact/signals';
import type { Entry } from '../../src/actions/files/files.schema.ts';
import { token } from '../state/session.ts';
import { bytes } from '../units.ts';

interface PreviewProps {
  entry: Entry;
  base: string;
  /** Inside the base. */
  path: string;
}

/** A file as far as a browser can show it. Players ask for ranges, so one can go anywhere in a film at once. */
export function Preview({ entry: { name, size, contentType = '' }, base, path }: PreviewProps) {
  const failed = useSignal(false);
  const url = fileUrl(base, path);
  const [kind] = contentType.split('/');
  const onError = () => {
    failed.value = true;
  };
  return (
    <figure class="preview">
      {kind === 'image' && !failed.value ? <img src={url} alt={name} onError={onError} /> : null}
      {kind === 'audio' && !failed.value ? (
        // biome-ignore lint/a11y/useMediaCaption: files of the user come without captions
        <audio src={url} controls aria-label={name} onError={onError} />
      ) : null}
      {kind === 'video' && !failed.value ? (
        // biome-ignore lint/a11y/useMediaCaption: files of the user come without captions
        <video src={url} controls aria-label={name} onError={onError} />
      ) : null}
      <figcaption>
        {name} · {bytes(size)} ·{' '}
        <a href={url} download={name}>
          Download
        </a>
        {failed.value ? (
          <span class="quiet"> · The service does not send it, or this browser cannot show it.</span>
        ) : null}
      </figcaption>
    </figure>
  );
}

/** The only address that takes a token in its query: players and pictures can send no header. */
function fileUrl(base: string, path: string): string {
  return `/api/media/file/data?${new URLSearchParams({ base, path, token: token.value ?? '' })}`;
}
