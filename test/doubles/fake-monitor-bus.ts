import { type FakeMonitor, fakeMonitor } from '@hostler/ddc/testing/fake-monitor.ts';
import { askMonitor, type MonitorRequest } from '../../src/features/displays/linux/monitor-requests.ts';
import type { StartThread } from '../../src/lib/thread.ts';

export interface FakeMonitorBus {
  /** By the number of the bus; null: no device is connected. */
  monitors: Map<number, FakeMonitor | null>;
  /** What is shown at the address of the EDID, by the number of the bus. */
  edids: Map<number, Uint8Array>;
  /** The file of each bus that was opened. */
  opened: string[];
  startThread: StartThread;
  /** While set, no reply arrives. */
  hangs: boolean;
  threads: { started: number; ended: number };
}

const fail = (code: string) => Object.assign(new Error(code), { code });

/** Stand-ins at the buses of a machine, called in this thread, without delays. No device of the machine is opened. */
export function fakeMonitorBus(monitors: Record<number, FakeMonitor | null> = { 5: fakeMonitor() }): FakeMonitorBus {
  const bus: FakeMonitorBus = {
    monitors: new Map(Object.entries(monitors).map(([number, monitor]) => [Number(number), monitor])),
    edids: new Map(),
    opened: [],
    hangs: false,
    threads: { started: 0, ended: 0 },
    async startThread(job, _data, { message }) {
      if (job !== 'displays.monitors') throw new Error(`no monitor is asked by a thread for ${job}`);
      bus.threads.started += 1;
      return {
        async send(call) {
          const { id, request } = call as { id: number; request: MonitorRequest };
          const value = await askMonitor(open, async () => {}, request);
          if (!bus.hangs) message({ id, value });
        },
        end: () => {
          bus.threads.ended += 1;
        },
      };
    },
  };
  const open = ({ file, number }: { file: string; number: number }) => {
    bus.opened.push(file);
    if (!bus.monitors.has(number)) throw fail('ENOENT');
    const monitor = bus.monitors.get(number) ?? null;
    const silence = () => {
      throw fail('EREMOTEIO');
    };
    return {
      at: (address: number) => {
        if (address === 0x50) return { write: () => {}, read: () => bus.edids.get(number) ?? new Uint8Array(128) };
        return monitor ?? { write: silence, read: silence };
      },
      close: () => {},
    };
  };
  return bus;
}
