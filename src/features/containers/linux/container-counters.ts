import type { Files } from '../../../host/linux/files.ts';
import { parseDev } from '../../../host/linux/net/proc-net.links.ts';
import type { ShortFile } from '../../../host/linux/proc/short-file.ts';
import type { ContainerSample } from '../containers.assemble.ts';

export type ContainerCounters = NonNullable<ReturnType<typeof openContainerCounters>>;

const root = '/sys/fs/cgroup';
/** Longer than any of these files. */
const buffer = Buffer.alloc(16 * 1024);

/**
 * The counters of a container, from the control groups of its first process. null: the process has no group with the id of the container,
 * for example because the engine counts processes in another namespace.
 * https://docs.kernel.org/admin-guide/cgroup-v2.html, https://docs.kernel.org/admin-guide/cgroup-v1/
 */
export function openContainerCounters(
  files: Files,
  { id, pid, ownNetwork }: { id: string; pid: number; ownNetwork: boolean },
) {
  const groups = groupsOf(files.text(`/proc/${pid}/cgroup`) ?? '', id);
  if (groups.size === 0) return null;
  const opened: ShortFile[] = [];
  const first = (...places: (string | null)[]): ShortFile | null => {
    const place = places.find((candidate) => candidate !== null && files.exists(candidate));
    if (place === undefined || place === null) return null;
    const file = files.short(place);
    opened.push(file);
    return file;
  };
  const unified = groups.get('') ?? null;
  const v2 = (name: string) =>
    unified === null ? [] : [`${root}${unified}/${name}`, `${root}/unified${unified}/${name}`];
  const v1 = (controller: string, name: string) => {
    const group = groups.get(controller);
    // Two controllers may share a mount that has both names.
    return group === undefined ? [] : [controller, 'cpu,cpuacct'].map((mount) => `${root}/${mount}${group}/${name}`);
  };
  const usage = first(...v1('cpuacct', 'cpuacct.usage'));
  const cpuStat = usage === null ? first(...v2('cpu.stat')) : null;
  const current = first(...v1('memory', 'memory.usage_in_bytes'), ...v2('memory.current'));
  const memoryStat = first(...v1('memory', 'memory.stat'), ...v2('memory.stat'));
  const throttled = first(
    ...v1('blkio', 'blkio.throttle.io_service_bytes_recursive'),
    ...v1('blkio', 'blkio.throttle.io_service_bytes'),
  );
  const ioStat = throttled === null ? first(...v2('io.stat')) : null;
  const limit = first(...v1('memory', 'memory.limit_in_bytes'), ...v2('memory.max'));
  const netDev = `/proc/${pid}/net/dev`;

  const textOf = (file: ShortFile | null): string | null => {
    const length = file?.read(buffer) ?? null;
    return length === null ? null : buffer.toString('latin1', 0, length);
  };

  return {
    /** Bytes; null: no limit, or unknown. It can change while the container runs. */
    memoryLimit: () => parseMemoryLimit(textOf(limit) ?? ''),
    sample(): ContainerSample {
      // Not left open: an open file would keep the network namespace alive after the container has ended.
      const devices = ownNetwork ? files.text(netDev) : null;
      return {
        cpu: usage === null ? parseCpuStat(textOf(cpuStat)) : scaled(textOf(usage), 1e-9),
        memory: scaled(textOf(current), 1),
        droppable: parseDroppable(textOf(memoryStat)),
        disk: throttled === null ? parseIoStat(textOf(ioStat)) : parseServiceBytes(textOf(throttled)),
        network: devices === null ? null : parseContainerTraffic(devices),
      };
    },
    close() {
      for (const file of opened) file.close();
    },
  };
}

/** The groups of the container by controller; '' is version 2. Groups below that of the container are cut off. */
export function groupsOf(text: string, id: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.{1,4096})$/.exec(line) ?? [];
    if (controllers === undefined || path === undefined || path.includes('/..')) continue;
    const parts = path.split('/');
    // The monitor of a Podman container has a group with its id too.
    const at = parts.findIndex((part) => part.includes(id) && !part.includes('conmon'));
    if (at === -1) continue;
    const group = parts.slice(0, at + 1).join('/');
    for (const controller of controllers.split(',')) groups.set(controller, group);
  }
  return groups;
}

/** Version 1 reports no limit as a number near 2^63. */
export function parseMemoryLimit(text: string): number | null {
  const limit = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  return limit < 2 ** 60 ? limit : null;
}

const scaled = (text: string | null, factor: number) => {
  const digits = /^\d+/.exec(text ?? '')?.[0];
  return digits === undefined ? null : Number(digits) * factor;
};

const parseCpuStat = (text: string | null) => scaled(/^usage_usec (\d+)/m.exec(text ?? '')?.[1] ?? null, 1e-6);

/** The cache that `docker stats` subtracts. Version 1 reports it with and without the groups below. */
export function parseDroppable(text: string | null): number | null {
  const found = /^total_inactive_file (\d+)/m.exec(text ?? '') ?? /^inactive_file (\d+)/m.exec(text ?? '');
  return found === null ? null : Number(found[1]);
}

export const parseIoStat = (text: string | null) => sumOf(text, / (r|w)bytes=(\d+)/g);

export const parseServiceBytes = (text: string | null) => sumOf(text, /^\d+:\d+ (Read|Write) (\d+)$/gm);

function sumOf(text: string | null, pattern: RegExp): ContainerSample['disk'] {
  if (text === null) return null;
  const sum = { read: 0, written: 0 };
  for (const [, key = '', value] of text.matchAll(pattern)) sum[/^r/i.test(key) ? 'read' : 'written'] += Number(value);
  return sum;
}

/** All devices except the loopback. */
export function parseContainerTraffic(text: string): NonNullable<ContainerSample['network']> {
  const sum = { received: 0, sent: 0 };
  for (const [name, { bytesReceived, bytesSent }] of parseDev(text)) {
    if (name === 'lo') continue;
    sum.received += bytesReceived;
    sum.sent += bytesSent;
  }
  return sum;
}
