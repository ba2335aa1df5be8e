import type { Files } from '../../../host/linux/files.ts';

/** Names of the processes that have one of these files open; `hidden`: the files of some are not readable. Expensive: reads every process. */
export function whoHasOpen(files: Files, paths: ReadonlySet<string>): { names: string[]; hidden: boolean } {
  const names = new Set<string>();
  let hidden = false;
  for (const pid of files.list('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const directory = `/proc/${pid}/fd`;
    const descriptors = files.list(directory);
    if (descriptors.length === 0) hidden ||= files.denied(directory);
    else if (descriptors.some((descriptor) => paths.has(files.link(`${directory}/${descriptor}`) ?? ''))) {
      names.add(processName(files, pid));
    }
  }
  return { names: [...names].sort(), hidden };
}

/** The kernel cuts names at 15 characters. */
export function processName(files: Files, pid: string | number): string {
  return files.text(`/proc/${pid}/comm`)?.trim() || `process ${pid}`;
}
