import type { UserDecision, UserPrompt } from '../../core/agent.ts';
import { unreadMs } from '../../core/prompts/open-prompt.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { dialogsLibrary } from './dialogs.windows.ts';

const dismissEveryMs = 250;

/**
 * Shows a prompt in a window above all others. Everything but Yes means no, and a Yes in its first second does not count: the prompt is
 * shown again. Rejects if the prompt cannot be shown.
 */
export async function askUserWindows(
  { nativeElsewhere, native, clock }: Pick<WindowsHost, 'nativeElsewhere' | 'native' | 'clock'>,
  { title, text }: UserPrompt,
  signal: AbortSignal,
): Promise<UserDecision> {
  const dialogs = nativeElsewhere(dialogsLibrary);
  // It may not be on the screen yet when it is cancelled.
  let cancel = () => {};
  const dismiss = async () => {
    cancel = clock.after(dismissEveryMs, () => void dismiss());
    (await native(dialogsLibrary)).dismiss(title);
  };
  const givenUp = () => void dismiss();
  signal.addEventListener('abort', givenUp, { once: true });
  try {
    for (let words = text; ; words = `${text}\n\n${tooFast}`) {
      if (signal.aborted) return 'denied';
      const shownAt = clock.monotonic();
      const answer = await dialogs.ask(title, `${words}\n\nYes: allow. No: deny.`);
      if (answer === null) throw new Error('this Windows session cannot show windows');
      if (signal.aborted || answer === 'no') return 'denied';
      if (clock.monotonic() - shownAt >= unreadMs) return 'allowed';
    }
  } finally {
    signal.removeEventListener('abort', givenUp);
    cancel();
  }
}

const tooFast = 'Yes was pressed within a second and did not count. Please read the prompt and answer again.';
