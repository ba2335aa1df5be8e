import { BusError, variant } from '@hostler/dbus/dbus.ts';
import { peerRefusalIn } from '@hostler/io/local-socket.ts';
import type { UserDecision, UserPrompt } from '../../core/agent.ts';
import { unreadMs } from '../../core/prompts/open-prompt.ts';
import {
  createDesktopNotifications,
  type DesktopNotifications,
  withoutMarkup,
} from '../../host/linux/desktop/desktop-notifications.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { settledWithin } from '../../lib/clock.ts';

/** No other notification of this service has this name: senders cannot choose theirs. */
const appName = 'Hostler permission';
/** Stays visible, also over full-screen windows. */
const critical = 2;
/** Longer than any prompt is open. A prompt that appears late is then still ours, and is taken off the screen. */
const showMs = 150_000;
/** How long a prompt that is over waits to leave the screen: until then input is blocked, and the server may hang. */
export const withdrawMs = 2000;

/**
 * Shows a prompt on the desktop, as a notification with two or three buttons. Closing it, its expiry and a press on its body mean no. An
 * Allow in its first second does not count: the prompt is shown again. Rejects if the prompt cannot be shown, whatever the reason. One that
 * the desktop shows after it was given up counts for nothing, and is taken off the screen.
 */
export async function askUserLinux(
  host: Pick<LinuxHost, 'dbus' | 'clock'>,
  prompt: UserPrompt,
  signal: AbortSignal,
  answered: () => void,
): Promise<UserDecision> {
  const givenUp = Promise.withResolvers<UserDecision>();
  let cancel = () => {};
  const giveUp = () => {
    cancel = host.clock.after(withdrawMs, () => givenUp.resolve('denied'));
  };
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    const read = askUntilRead(host, prompt, signal, () => {
      signal.removeEventListener('abort', giveUp);
      answered();
    });
    return await Promise.race([read, givenUp.promise]);
  } finally {
    cancel();
    signal.removeEventListener('abort', giveUp);
  }
}

async function askUntilRead(
  { dbus, clock }: Pick<LinuxHost, 'dbus' | 'clock'>,
  prompt: UserPrompt,
  signal: AbortSignal,
  answered: () => void,
): Promise<UserDecision> {
  const can = await capabilities(createDesktopNotifications(dbus.session, appName));
  if (!can.has('actions')) throw new Error('notifications on this desktop have no buttons');
  const notifications = createDesktopNotifications(dbus.session, appName, showMs);
  const show = async (text: string) => {
    if (signal.aborted) return 'denied';
    const body = can.has('body-markup') ? withoutMarkup(text) : text;
    return await askOnce(notifications, clock, { ...prompt, text: body }, signal, answered);
  };
  try {
    let answer = await show(prompt.text);
    while (answer === 'unread') answer = await show(`${prompt.text}\n${tooFast}`);
    return answer;
  } finally {
    notifications.close();
  }
}

const tooFast = 'Allow was pressed within a second and did not count. Please read the prompt and answer again.';

async function askOnce(
  notifications: DesktopNotifications,
  clock: LinuxHost['clock'],
  { title, text, less: lessLabel }: UserPrompt,
  signal: AbortSignal,
  answered: () => void,
): Promise<UserDecision | 'unread'> {
  // Numbers restart with every notification server, so the key of an earlier prompt could equal the key of this one.
  const own = crypto.randomUUID();
  const allow = { key: `hostler-allow-${own}`, label: 'Allow' };
  const deny = { key: `hostler-deny-${own}`, label: 'Deny' };
  const less = lessLabel === undefined ? null : { key: `hostler-less-${own}`, label: lessLabel };
  const { promise, resolve } = Promise.withResolvers<UserDecision | 'unread'>();
  let readable = false;
  let isOver = false;
  const answer = (given: UserDecision | 'unread') => {
    // The close that follows a press, or our own withdrawal, is no answer.
    if (isOver || signal.aborted) return;
    isOver = true;
    if (given !== 'unread') answered();
    resolve(given);
  };
  const id = await notifications.show(
    {
      title,
      body: text,
      icon: 'dialog-question',
      actions: [allow, ...(less === null ? [] : [less]), deny],
      hints: { urgency: variant('y', critical), resident: false },
      timeoutMs: 0,
    },
    {
      pressed(key) {
        if (key !== allow.key && key !== less?.key) answer('denied');
        else if (!readable) answer('unread');
        else answer(key === allow.key ? 'allowed' : 'less');
      },
      closed: () => answer('denied'),
    },
  );
  // Earlier presses arrive before this reply, however late it is.
  const settle = () =>
    void notifications.capabilities().then(
      () => {
        readable = true;
      },
      () => {},
    );
  const cancel = clock.after(unreadMs, settle);
  const giveUp = () => resolve('denied');
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', giveUp);
    await settledWithin(clock, notifications.withdraw(id), withdrawMs);
  }
}

async function capabilities(notifications: DesktopNotifications): Promise<Set<string>> {
  try {
    return await notifications.capabilities();
  } catch (error) {
    throw new Error(whyNot(error), { cause: error });
  }
}

function whyNot(error: unknown): string {
  const name = error instanceof BusError ? error.errorName : '';
  const refusal = peerRefusalIn(error);
  if (refusal !== null) return refusal.message;
  if (name === 'Client.NoBus' || name === 'Client.Disconnected') return 'the session bus of the user cannot be reached';
  if (name === 'Client.Timeout') return 'the notification server of the desktop does not answer';
  return 'no program in this session shows notifications';
}
