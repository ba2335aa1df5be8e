import type { ActionParts } from '../../core/action.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { createPowerAudit, type Orderer, type PowerAudit } from './power.audit.ts';
import type { Notice, VerbControl } from './power.contract.ts';
import { controlOf, createNotices, type LoadPower } from './power.control.ts';
import { createPendingFile, type PendingFile, type PendingPowerOrder } from './power.pending-file.ts';
import { scopesFor, words } from './power.verbs.ts';
import { createWatch, type PowerWatch } from './power.watch.ts';

export interface ArmedOrder extends PendingPowerOrder {
  force: boolean;
  tokenId: string;
  stop(): void;
}

export interface PowerState {
  parts: ActionParts;
  load: LoadPower;
  clock: Clock;
  audit: PowerAudit;
  file: PendingFile;
  watch: PowerWatch;
  show(notice: Notice): () => void;
  pending: ArmedOrder | null;
  followers: Set<(pending: PendingPowerOrder | null) => void>;
}

/** Shorter delays show no notification. */
const noticeFromMs = 5000;
/** How long sleep and shutdown are delayed after the order was accepted, so that the response is sent first. */
const guardMs = 3000;
const atTheScreen: Orderer = { token: 'the user', address: 'the screen' };

export function createState(parts: ActionParts, load: LoadPower): PowerState {
  const { host, log } = parts;
  const state: PowerState = {
    parts,
    load,
    clock: host.clock,
    audit: createPowerAudit(host, log),
    file: createPendingFile(host),
    watch: createWatch(parts, () => resumed(state), load),
    show: createNotices(parts, load),
    pending: null,
    followers: new Set(),
  };
  return state;
}

export function addPending(state: PowerState, pending: ArmedOrder): void {
  setPending(state, pending);
  arm(state, pending);
  save(state, pending);
}

function setPending(state: PowerState, next: ArmedOrder | null): void {
  state.pending = next;
  for (const follower of state.followers) follower(next);
}

/** Delays sleep and shutdown until the response to the caller is sent. */
export async function perform(
  state: PowerState,
  control: VerbControl,
  { verb, force, by }: Pick<ArmedOrder, 'verb' | 'force' | 'by'>,
): Promise<string> {
  const { watch, clock } = state;
  if (verb === 'lock' || verb === 'logout') return await control.perform({ force });
  const release = await watch.guard();
  try {
    const message = await control.perform({ force }, (reason) => noteFailure(state, { verb, by }, reason));
    clock.after(guardMs, release);
    return message;
  } catch (error) {
    release();
    throw error;
  }
}

function arm(state: PowerState, pending: ArmedOrder): void {
  const left = Math.max(0, pending.at - state.clock.now());
  const stopTimer = state.clock.after(left, () => void fire(state, pending));
  const stopWatching = state.watch.want();
  const removeNotice = left >= noticeFromMs ? notify(state, pending) : () => {};
  pending.stop = () => {
    stopTimer();
    removeNotice();
    stopWatching();
  };
}

async function fire(state: PowerState, pending: ArmedOrder): Promise<void> {
  if (state.pending !== pending) return;
  clearPending(state, pending);
  const { audit, show, parts, load } = state;
  const { verb, by } = pending;
  const why = whyNot(parts, pending);
  if (why !== null) {
    audit.note(verb, by, `dropped: ${why}`);
    show({ title: words[verb].failed, body: `It was ordered with the token ${by.token}, but ${why}`, cancel: null });
    return;
  }
  try {
    const message = await perform(state, await controlOf(parts.host, verb, load), pending);
    audit.note(verb, by, `done: ${message}`);
  } catch (error) {
    noteFailure(state, pending, messageOf(error));
  }
}

/** The caller has had its response. */
function noteFailure({ audit, show }: PowerState, { verb, by }: Pick<ArmedOrder, 'verb' | 'by'>, reason: string): void {
  audit.note(verb, by, `failed: ${reason}`);
  show({ title: words[verb].failed, body: reason, cancel: null });
}

/** An order is carried out if its token could give it now: it may have been revoked, or control paused, since then. null: it is carried out. */
function whyNot({ controlPause, admits }: ActionParts, { verb, tokenId }: ArmedOrder): string | null {
  if (controlPause.current() !== null) return 'control was paused when it was due';
  return scopesFor(verb).some((scope) => admits({ tokenId, scopes: new Set([scope]) }))
    ? null
    : 'the token that ordered it was revoked, or may do less';
}

function clearPending(state: PowerState, pending: ArmedOrder): void {
  pending.stop();
  setPending(state, null);
  try {
    state.file.clear();
  } catch (error) {
    state.parts.log.warn(`power: the file of the pending order cannot be removed: ${messageOf(error)}`);
  }
}

export function replacePending(state: PowerState): void {
  if (state.pending !== null) dropPending(state, state.pending.by, 'replaced by a new order');
}

export function dropPending(state: PowerState, by: Orderer, outcome: string): void {
  const { pending } = state;
  if (pending === null) return;
  clearPending(state, pending);
  state.audit.note(pending.verb, by, outcome);
}

function save({ file, parts }: PowerState, { verb, at, by }: ArmedOrder): void {
  try {
    file.write({ verb, at, by });
  } catch (error) {
    parts.log.warn(`power: the pending order cannot be saved: ${messageOf(error)}`);
  }
}

/** Timers stop while the machine sleeps. An order that fell due meanwhile is dropped: it would hit a user who has just returned. */
function resumed(state: PowerState): void {
  const { pending } = state;
  if (pending === null) return;
  if (state.clock.now() >= pending.at) {
    dropPending(state, pending.by, 'dropped: the machine was asleep when it was due');
  } else {
    pending.stop();
    arm(state, pending);
  }
}

function notify(state: PowerState, { verb, at, by }: ArmedOrder): () => void {
  return state.show({
    title: words[verb].will,
    body: `At ${new Date(at).toTimeString().slice(0, 8)}, ordered with the token ${by.token} from ${by.address}`,
    cancel: () => dropPending(state, atTheScreen, 'cancelled'),
  });
}

/** Reports an order that was pending when the previous run ended. */
export function reportLeftover({ file, audit, parts: { log } }: PowerState): void {
  try {
    const leftover = file.takeLeftover();
    if (leftover === null) return;
    const outcome = `dropped: the service was restarted before it was due at ${iso(leftover.at)}`;
    log.warn(`power: the pending ${leftover.verb} was dropped: the service was restarted before it was due`);
    audit.note(leftover.verb, leftover.by, outcome);
  } catch (error) {
    log.warn(`power: the pending order of the last run cannot be read: ${messageOf(error)}`);
  }
}

export const iso = (ms: number) => new Date(ms).toISOString();
