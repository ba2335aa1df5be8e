import { requireScreen } from '../../host/windows/desktop-access.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import { readStruct } from '../../host/windows/native/structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { VerbControl } from './power.contract.ts';

/** Below the 2 s for which Windows waits for programs before it sleeps: the response has to be sent until then. */
const answerWithinMs = 1500;
/** From the announcement until the machine is asleep: all programs and drivers are asked in between. */
const announcedWithinMs = 30_000;
const unannouncedWithinMs = 1000;
/** Modern Standby begins when the displays are off, and programs and network have become idle. */
const standbyWithinMs = 120_000;
const pollMs = 500;
/** The counters advance in steps of 16 ms. */
const noticeableMs = 300;

export function sleepingWindows(host: WindowsHost, verb: 'sleep' | 'hibernate', done: string): VerbControl {
  const check = async () => {
    const reason = whyNot(verb, await host.native());
    if (reason !== null) throw new ServiceError('unsupported', reason);
  };
  return {
    check,
    async perform(_options, failed = () => {}) {
      await check();
      const native = await host.native();
      // With Modern Standby, SetSuspendState hibernates or does nothing: such machines sleep when their displays are off.
      const isStandby = verb === 'sleep' && capabilitiesOf(native)?.['spare2[2]'] === 1;
      if (isStandby) await requireScreen(host);
      const watch = await watchSleep(host, native);
      const outcome = (isStandby ? standBy(native, watch) : suspend(host, native, watch, verb)).finally(watch.stop);
      const early = await Promise.race([outcome, watch.announced, sleep(host.clock, answerWithinMs)]);
      if (early) throw new ServiceError('failed', `power.${verb}: ${early}`);
      void outcome.then((why) => {
        if (why !== null) failed(why);
      });
      return isStandby ? `${done} as soon as its displays are off and nothing keeps it awake (Modern Standby)` : done;
    },
  };
}

type SleepWatch = Awaited<ReturnType<typeof watchSleep>>;

async function watchSleep({ messages, clock }: WindowsHost, { kernel32 }: Native) {
  const [before, since] = [kernel32.asleepMs(), clock.monotonic()];
  const { promise: announced, resolve } = Promise.withResolvers<void>();
  let isAnnounced = false;
  const following = messages.follow((event) => {
    if (event !== 'sleep' && event !== 'resume') return;
    isAnnounced = true;
    resolve();
  });
  return {
    /** Windows announces sleep, or waking up. */
    announced,
    isAnnounced: () => isAnnounced,
    /** false: not until then. */
    async within(limitMs: () => number, hasSlept: () => boolean): Promise<boolean> {
      while (!hasSlept()) {
        if (clock.monotonic() - since >= limitMs()) return false;
        await sleep(clock, pollMs);
      }
      return true;
    },
    /** The counters of Windows say so. */
    hasSlept: () => kernel32.asleepMs() - before > noticeableMs,
    stop: await following.catch(() => () => {}),
  };
}

/** Why the machine did not sleep; null: it did. */
async function suspend(
  { nativeElsewhere }: WindowsHost,
  { advapi32 }: Native,
  { within, hasSlept, isAnnounced }: SleepWatch,
  verb: 'sleep' | 'hibernate',
): Promise<string | null> {
  advapi32.enablePrivilege('SeShutdownPrivilege');
  // In a thread: the call returns when the machine is awake again, which can take longer than the thread may.
  const answer = await nativeElsewhere('powrprof')
    .suspend(verb === 'hibernate')
    .then((accepted) => (accepted ? 'Windows accepted the request' : null), messageOf);
  if (answer === null) return 'Windows refused it: the user lacks the right, or a policy or a driver forbids it';
  const isAsleep = await within(() => (isAnnounced() ? announcedWithinMs : unannouncedWithinMs), hasSlept);
  return isAsleep ? null : `the machine did not sleep (${answer})`;
}

async function standBy({ user32 }: Native, { within, hasSlept, isAnnounced }: SleepWatch): Promise<string | null> {
  if (!user32.switchDisplays(false)) return 'Windows did not accept the request to switch the displays off';
  // The counters may continue in Modern Standby, which is work at low power for Windows.
  return (await within(
    () => standbyWithinMs,
    () => hasSlept() || isAnnounced(),
  ))
    ? null
    : `the machine did not sleep within ${standbyWithinMs / 60_000} minutes: "powercfg /requests" in an administrator’s console lists what keeps it awake`;
}

function whyNot(verb: 'sleep' | 'hibernate', native: Native): string | null {
  const found = capabilitiesOf(native);
  if (found === null)
    return `power.${verb} is not supported here: Windows does not report which sleep states this machine has`;
  const { SystemS1, SystemS2, SystemS3, SystemS4, HiberFilePresent, 'spare2[2]': modernStandby } = found;
  if (verb === 'sleep')
    return SystemS1 || SystemS2 || SystemS3 || modernStandby
      ? null
      : 'This machine cannot sleep: its firmware has no such state';
  return SystemS4 && HiberFilePresent
    ? null
    : 'This machine cannot hibernate: "powercfg /hibernate on" in an administrator’s console allows it, unless its firmware forbids it';
}

function capabilitiesOf({ powrprof }: Native) {
  const bytes = powrprof.capabilities();
  return bytes && readStruct(SYSTEM_POWER_CAPABILITIES, bytes);
}
