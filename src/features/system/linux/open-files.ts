import type { Files } from '../../../host/linux/files.ts';

/** Of a process: some have a million descriptors, but open devices early. */
const mostLinks = 1024;

/**
 * Names of the processes that have one of these files open; `hidden`: the files of some are not readable. Expensive: reads every process, one a
 * step.
 */
export function* whoHasOpen(
  files: Files,
  paths: ReadonlySet<string>,
): Generator<void, { names: string[]; hidden: boolean }> {
  const names = new Set<string>();
  let hidden = false;
  for (const pid of files.list('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const directory = `/proc/${pid}/fd`;
    yield;
    const descriptors = files.entries(directory);
    if (descriptors.length === 0) hidden ||= files.denied(directory);
    else if (
      descriptors.slice(0, mostLinks).some((descriptor) => paths.has(files.link(`${directory}/${descriptor}`) ?? ''))
    ) {
      names.add(processName(files, pid));
    }
  }
  return { names: [...names].sort(), hidden };
}

/** The kernel cuts names at 15 characters. */
export function processName(files: Files, pid: string | number): string {
  return files.text(`/proc/${pid}/comm`)?.trim() || `process ${pid}`;
}
