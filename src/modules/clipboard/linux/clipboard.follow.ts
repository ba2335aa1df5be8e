import { type ClipboardHost, followClipboard, NoClipboard } from '../../../host/linux/desktop/clipboard.ts';
import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { messageOf } from '../../../lib/errors.ts';
import { lookOnce, type SeenCopy } from './clipboard.look.ts';

/** What is known of the clipboard; `changedAt`: Unix milliseconds, null where it was there before anybody listened. */
export type KnownCopy = { seen: SeenCopy; changedAt: number | null } | { why: string; mendable: boolean };

export interface Following {
  /** To be called now and then: a display server that was not there may be there now. */
  look(): void;
  stop(): void;
}

/** Whoever copies all the time is looked at this often, ms. */
const pauseMs = 200;

/** Tells what is on the clipboard now, and whenever that changes. */
export function followCopies(host: ClipboardHost, mostTextBytes: number, tell: (known: KnownCopy) => void): Following {
  const { clock, session } = host;
  let isOver = false;
  let isConnecting = false;
  let connection: { place: string; stop(): void } | null = null;
  let isLooking = false;
  let hasChanged = false;
  let changedAt: number | null = null;
  let cancelPause = () => {};

  const look = async () => {
    hasChanged = true;
    if (isLooking) return;
    isLooking = true;
    while (hasChanged && !isOver) {
      hasChanged = false;
      const seen = await lookOnce(host, mostTextBytes);
      // Without a connection nobody would hear when it is something else.
      if (!isOver && connection !== null) tell({ seen, changedAt });
      if (hasChanged) await pause();
    }
    isLooking = false;
  };

  const pause = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(pauseMs, resolve);
      cancelPause = () => {
        cancel();
        resolve();
      };
    });

  const changed = () => {
    // What is told while it is being connected was there before.
    if (connection === null) return;
    changedAt = clock.now();
    void look();
  };

  const gone = () => {
    connection = null;
    tell({ why: 'The display server of the session has ended', mendable: true });
  };

  const connect = async () => {
    if (isOver || isConnecting || connection !== null) return;
    isConnecting = true;
    try {
      const place = placeOf(await session.find());
      let hasEnded = false;
      const stop = await followClipboard(host, changed, () => {
        hasEnded = true;
        gone();
      });
      if (isOver) return stop();
      if (hasEnded) return;
      connection = { place, stop };
      changedAt = null;
      void look();
    } catch (error) {
      const mendable = !(error instanceof NoClipboard);
      if (!isOver) tell({ why: `The clipboard cannot be followed: ${messageOf(error)}`, mendable });
    } finally {
      isConnecting = false;
    }
  };

  /** Sockets of other desktops come and go as well. */
  const moved = async () => {
    const place = placeOf(await session.find());
    if (isOver) return;
    if (connection !== null && connection.place !== place) {
      connection.stop();
      connection = null;
    }
    await connect();
  };

  const stopWatching = session.watch(() => void moved());
  void connect();
  return {
    look: () => void connect(),
    stop() {
      isOver = true;
      stopWatching();
      cancelPause();
      connection?.stop();
      connection = null;
    },
  };
}

const placeOf = ({ wayland, x11 }: FoundSession) => JSON.stringify([wayland, x11?.socket ?? null]);
