import type { HistoryFollower } from '../core/readings/history.ts';
import { messageOf } from '../lib/errors.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { SampleSink } from './buffer.ts';
import { type SampleTap, sampleInto } from './recorder.ts';
import { loadSamplers, type SamplersParts } from './samplers.ts';
import { baseOf, knownHistory } from './series-catalogue.ts';

export interface Watching {
  stop(): void;
}

export interface WatchingParts extends SamplersParts {
  timers: SharedTimers;
  tap: SampleTap;
  followers: readonly HistoryFollower[];
}

export async function startWatching({ timers, tap, followers, ...parts }: WatchingParts): Promise<Watching> {
  const { series, kinds } = (await knownHistory(parts.modules))(parts.settings());
  const needed = new Set(
    followers.flatMap((follower) => [
      ...follower.series.map((name) => series.get(baseOf(name))?.module),
      ...follower.kinds.map((kind) => kinds.get(kind)?.module),
    ]),
  );
  const modules = parts.modules.filter(({ name }) => needed.has(name));
  if (modules.length === 0) return { stop() {} };
  const samplers = await loadSamplers({ ...parts, modules });
  let cancel = () => {};
  let isStopped = false;
  let isLooking = false;
  let onBattery = false;

  const look = async () => {
    isLooking = true;
    try {
      onBattery = await sampleInto(samplers, nowhere, tap);
    } catch (error) {
      parts.log.error(`history: sampling failed: ${messageOf(error)}`);
    } finally {
      isLooking = false;
      if (isStopped) samplers.close();
      else schedule();
    }
  };
  const schedule = () => {
    const { interval, batteryInterval } = parts.settings().history;
    cancel = timers.next(1000 * (onBattery ? batteryInterval : interval), () => void look());
  };
  schedule();
  return {
    stop() {
      if (isStopped) return;
      isStopped = true;
      cancel();
      if (!isLooking) samplers.close();
    },
  };
}

const nowhere: SampleSink = { begin() {}, set() {}, processes() {}, event() {} };
