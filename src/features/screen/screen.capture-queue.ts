import path from 'node:path';
import type { ActionParts } from '../../core/action.ts';
import { type Caller, shownAddress } from '../../core/caller.ts';
import { createTurns } from '../../core/job-queue.ts';
import { createDesktopQuestions } from '../../core/prompts/desktop-prompts.ts';
import { messageOf } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import { createBuckets } from '../../lib/token-buckets.ts';
import type { ScreenCamera, TakenPicture } from './screen.contract.ts';

const auditName = 'screen.log';
const auditBytes = 256 * 1024;
/** Apart, because anybody who may ask can make as many of these as he likes: they must not push pictures out of the record. */
const failuresName = 'screen-failures.log';
const failuresBytes = 64 * 1024;
/** Between two notices: what happens meanwhile is told together. */
const noticeEveryMs = 10_000;
const title = 'Picture of the screen';
const mostNames = 5;

/** What lasts between pictures: who may take how many, what was told, and where it is written down. */
export function createLooks({ host, log, budgets }: ActionParts) {
  const { clock } = host;
  const rate = createBuckets(budgets.caller.pictures.rate, clock.monotonic);
  const turns = createTurns<TakenPicture>({
    atOnce: 1,
    inAll: budgets.all.pictures,
    perCaller: budgets.caller.pictures.waiting,
    full: 'Too many pictures of the screen are being taken already; try again',
  });
  const audit = { file: path.join(host.paths.state, auditName), most: auditBytes };
  const failures = { file: path.join(host.paths.state, failuresName), most: failuresBytes };
  let toldAt = Number.NEGATIVE_INFINITY;
  let untold: { names: Set<string>; count: number; camera: ScreenCamera } | null = null;
  let cancel = () => {};
  let complaint = '';

  const write = ({ file, most }: typeof audit, line: Record<string, unknown>) => {
    try {
      host.storage.append(file, JSON.stringify({ time: new Date(clock.now()).toISOString(), ...line }), most);
    } catch (error) {
      log.warn(`screen: what was looked at could not be written to ${file}: ${messageOf(error)}`);
    }
  };
  const show = (camera: ScreenCamera, text: string) => {
    toldAt = clock.monotonic();
    camera.tell(title, text).then(
      () => {
        complaint = '';
      },
      (error: unknown) => {
        const reason = shownText(messageOf(error), 200);
        write(audit, { untold: text, reason });
        // Once, not for every picture.
        if (reason !== complaint) log.warn(`screen: ${text}; nobody could be told at the screen: ${reason}`);
        complaint = reason;
      },
    );
  };
  const showRest = () => {
    const rest = untold;
    untold = null;
    if (rest === null) return;
    const names = [...rest.names];
    const who = `${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ' and others' : ''}`;
    show(rest.camera, `${who} took ${rest.count} more ${rest.count === 1 ? 'picture' : 'pictures'} of this screen`);
  };

  return {
    rate,
    turns,
    questions: createDesktopQuestions(clock.monotonic),
    /** Nothing of the picture is in it. */
    note(caller: Caller, what: string) {
      write(audit, lineOf(caller, what, 'taken'));
    },
    noteFailure(caller: Caller, what: string, reason: string) {
      write(failures, lineOf(caller, what, shownText(reason, 300)));
    },
    /** A visible sign that somebody looked; many in a row make one. */
    tell(camera: ScreenCamera, caller: Caller) {
      const name = nameOf(caller);
      const wait = toldAt + noticeEveryMs - clock.monotonic();
      if (wait <= 0 && untold === null) return show(camera, `${name} took a picture of this screen`);
      if (untold === null) cancel = clock.after(wait, showRest);
      untold ??= { names: new Set(), count: 0, camera };
      untold.count += 1;
      if (untold.names.size <= mostNames) untold.names.add(name);
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
