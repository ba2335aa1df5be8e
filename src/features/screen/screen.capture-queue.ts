import path from 'node:path';
import type { ActionParts } from '../../core/action.ts';
import { type Caller, shownAddress } from '../../core/caller.ts';
import { createJobQueue } from '../../core/job-queue.ts';
import { createDesktopPrompts } from '../../core/prompts/desktop-prompts.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import { createBuckets } from '../../lib/token-buckets.ts';
import type { ScreenCamera, TakenPicture } from './screen.contract.ts';

const auditName = 'screen.log';
const auditBytes = 256 * 1024;
/** A separate file: a client can cause any number of failures, which must not push pictures out of the record. */
const failuresName = 'screen-failures.log';
const failuresBytes = 64 * 1024;
/** Pictures within this time share one notice. */
const noticeEveryMs = 10_000;
const title = 'Picture of the screen';
const mostNames = 5;

/** Rate limit, job queue, notices and audit log of pictures. */
export function createCaptures({ host, log, budgets }: ActionParts) {
  const { clock } = host;
  const rate = createBuckets(budgets.caller.pictures.rate, clock.monotonic);
  const queue = createJobQueue<TakenPicture>({
    atOnce: 1,
    inAll: budgets.all.pictures,
    perCaller: budgets.caller.pictures.waiting,
    full: 'Too many pictures of the screen are being taken already; try again',
  });
  const audit = { file: path.join(host.paths.state, auditName), most: auditBytes };
  const failures = { file: path.join(host.paths.state, failuresName), most: failuresBytes };
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let pending: { names: Set<string>; count: number; camera: ScreenCamera } | null = null;
  let cancel = () => {};
  let lastProblem = '';

  /** False: it could not be written. */
  const write = ({ file, most }: typeof audit, line: Record<string, unknown>): boolean => {
    try {
      host.storage.append(file, JSON.stringify({ time: new Date(clock.now()).toISOString(), ...line }), most);
      return true;
    } catch (error) {
      log.warn(`screen: the record could not be written to ${file}: ${messageOf(error)}`);
      return false;
    }
  };
  const show = (camera: ScreenCamera, text: string) => {
    notifiedAt = clock.monotonic();
    camera.notify(title, text).then(
      () => {
        lastProblem = '';
      },
      (error: unknown) => {
        const reason = shownText(messageOf(error), 200);
        write(audit, { undelivered: text, reason });
        // Logged once, not for every picture.
        if (reason !== lastProblem) log.warn(`screen: ${text}; the notice could not be shown: ${reason}`);
        lastProblem = reason;
      },
    );
  };
  const showRest = () => {
    const rest = pending;
    pending = null;
    if (rest === null) return;
    const names = [...rest.names];
    const who = `${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ' and others' : ''}`;
    show(rest.camera, `${who} took ${rest.count} more ${rest.count === 1 ? 'picture' : 'pictures'} of this screen`);
  };

  return {
    rate,
    queue,
    prompts: createDesktopPrompts(clock.monotonic),
    /** The record does not contain the picture. Throws if it cannot be written: the picture must not be sent then. */
    note(caller: Caller, what: string) {
      if (!write(audit, lineOf(caller, what, 'taken')))
        throw new ServiceError(
          'failed',
          'The picture was not sent, because it cannot be recorded; see the service log',
        );
    },
    noteFailure(caller: Caller, what: string, reason: string) {
      write(failures, lineOf(caller, what, shownText(reason, 300)));
    },
    /** Shows a notice at the screen; several in a row are combined. */
    notify(camera: ScreenCamera, caller: Caller) {
      const name = nameOf(caller);
      const wait = notifiedAt + noticeEveryMs - clock.monotonic();
      if (wait <= 0 && pending === null) return show(camera, `${name} took a picture of this screen`);
      if (pending === null) cancel = clock.after(wait, showRest);
      pending ??= { names: new Set(), count: 0, camera };
      pending.count += 1;
      if (pending.names.size <= mostNames) pending.names.add(name);
    },
    close() {
      cancel();
      showRest();
    },
  };
}

const lineOf = (caller: Caller, what: string, outcome: string) => ({
  token: shownText(caller.tokenName, 100),
  address: shownAddress(caller.connection().address),
  ...(caller.isAgent === true && { agent: true }),
  what: shownText(what, 100),
  outcome,
});

const nameOf = ({ tokenName, isAgent }: Caller) =>
  `${isAgent === true ? 'An agent with the token ' : ''}${JSON.stringify(shownText(tokenName, 64))}`;
