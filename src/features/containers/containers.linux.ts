import type { CreateSource } from '../../core/module.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { createPairs } from '../../lib/sample-pair.ts';
import type { ContainerSample, ContainerUse, PlatformReasons } from './containers.assemble.ts';
import type { Containers } from './containers.schema.ts';
import { createContainersSource } from './containers.source.ts';
import type { InspectedContainer } from './engine-responses.ts';
import { type ContainerCounters, openContainerCounters } from './linux/container-counters.ts';
import { engineAccessLinux } from './linux/engine-sockets.ts';

/** Engines at Unix sockets; the usage of containers comes from the kernel. */
export const containersLinux: CreateSource<Containers, LinuxHost> = (host, { settings, passing = false }) =>
  createContainersSource({
    ...engineAccessLinux(host),
    passing,
    settings: () => settings().containers,
    uses: createContainerRates(host),
    words: linuxReasons,
  });

const hidden =
  'The control group of the container is not visible to Hostler; if Hostler runs in a container itself, mount /proc and /sys of the machine, and name them in HOSTLER_PROC and HOSTLER_SYS';
const ungrouped =
  'The container has no control group of its own: without root, engines can make one only where the machine has version 2 of control groups and the service manager of the user runs';

const linuxReasons: PlatformReasons = {
  use: (rootless) => (rootless ? ungrouped : hidden),
  network:
    'The network of the container is not visible: /proc does not show its first process to the user of this service',
  engines: 'No socket of Docker or Podman was found on this machine',
};

function createContainerRates({ files, clock }: Pick<LinuxHost, 'files' | 'clock'>) {
  /** By id; null: not readable. */
  const counted = new Map<string, { container: InspectedContainer; counters: ContainerCounters | null }>();

  const pairs = createPairs(clock, () => {
    const samples = new Map<ContainerCounters, ContainerSample>();
    for (const { counters } of counted.values()) if (counters !== null) samples.set(counters, counters.sample());
    return samples;
  });

  /** A container that was inspected again may have been restarted, with other groups. */
  const update = (containers: readonly InspectedContainer[]) => {
    const ids = new Set(containers.map(({ id }) => id));
    for (const [id, { counters }] of counted) {
      if (ids.has(id)) continue;
      counters?.close();
      counted.delete(id);
    }
    for (const container of containers) {
      const { id, pid, ownNetwork } = container;
      const before = counted.get(id);
      if (before?.container === container) continue;
      if (before !== undefined && isSameRun(before.container, container)) {
        before.container = container;
        continue;
      }
      before?.counters?.close();
      counted.set(id, {
        container,
        counters: pid === null ? null : openContainerCounters(files, { id, pid, ownNetwork }),
      });
    }
  };

  return {
    async read(containers: readonly InspectedContainer[]) {
      update(containers);
      const uses = new Map<string, ContainerUse>();
      if (![...counted.values()].some(({ counters }) => counters !== null)) return uses;
      const { before, after, seconds } = await pairs();
      for (const [id, { counters }] of counted) {
        const now = counters === null ? undefined : after.get(counters);
        if (counters === null || now === undefined) continue;
        uses.set(id, { memoryLimit: counters.memoryLimit(), now, before: before.get(counters) ?? null, seconds });
      }
      return uses;
    },
    close() {
      for (const { counters } of counted.values()) counters?.close();
      counted.clear();
    },
  };
}

const isSameRun = (a: InspectedContainer, b: InspectedContainer) =>
  a.pid !== null && a.pid === b.pid && a.started === b.started && a.ownNetwork === b.ownNetwork;
