import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ScreenCapture } from '../../../src/features/screen/screen.schema.ts';
import { attempt } from '../../shell/announcements.tsx';
import { actionStates, obstacle } from '../../state/availability.ts';
import { request } from '../../state/live.ts';
import { set } from '../../state/set.ts';

const event = 'SCREEN_CAPTURE';
/** Enough for a dialog; the rest would only take longer. */
const widest = 1920;
/** A desktop may ask its user first. */
const timeoutMs = 75_000;

/** Shows a screenshot of a display, with the permission; the user at the screen is notified. */
export function LookAtDisplay({ display, name }: { display: string; name: string }) {
  const busy = useSignal(false);
  const shown = useSignal<ScreenCapture | null>(null);
  const isFor = actionStates.value.some((action) => action.event === event && action.allowed);
  if (!isFor) return null;
  const reason = obstacle(event);
  const capture = async () => {
    busy.value = true;
    await attempt(async () => {
      const { data } = await request(event, { display, max_width: widest }, { timeoutMs });
      // What this service answers is what the schema of the action promises.
      shown.value = data as ScreenCapture;
      return undefined;
    }, null);
    busy.value = false;
  };
  return (
    <>
      <button
        type="button"
        aria-label={`Screenshot of ${name}`}
        title={reason ?? `Screenshot of ${name}; the user at the screen is notified`}
        disabled={busy.value || reason !== null}
        onClick={capture}
      >
        Screenshot
      </button>
      {shown.value === null ? null : <Picture of={shown.value} name={name} close={() => set(shown, null)} />}
    </>
  );
}

function Picture({ of: { picture, width, height }, name, close }: { of: ScreenCapture; name: string; close(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="picture" aria-label={`Picture of ${name}`} onClose={close}>
      <h2>{name}</h2>
      <img src={`data:image/png;base64,${picture}`} width={width} height={height} alt={`What is on ${name}`} />
      <p class="buttons">
        <button type="button" class="plain" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}
