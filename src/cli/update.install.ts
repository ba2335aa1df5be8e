import path from 'node:path';
import { downloadFile, type FileDownloadOptions } from '../host/download-file.ts';
import type { Host } from '../host/host.ts';
import type { OwnFile } from '../host/own-program.ts';
import { extractProgram } from '../host/program-archive.ts';
import { besideProgram, leftBeside, type ProgramFiles, type Replacement } from '../host/program-files.ts';
import { codeOf, messageOf } from '../lib/errors.ts';
import type { ReleaseFile } from '../lib/release-list.ts';
import { isObject } from '../lib/values.ts';
import { takeUpdateLock, type UpdateLock } from './update.lock.ts';

export interface ReleaseToInstall {
  version: string;
  file: ReleaseFile;
  /** Where the file is. */
  url: string;
  /** What is replaced; the first one is tried before. */
  programs: readonly [OwnFile, ...OwnFile[]];
  replacement: Replacement;
}

interface Tools {
  host: Pick<Host, 'run' | 'environment' | 'storage'>;
  files: ProgramFiles;
  download: Omit<FileDownloadOptions, 'files'>;
  /** What to do where it may not be written. */
  otherwise: string;
}

/** Downloads, verifies, unpacks, tries and puts into place. Until the last step nothing has changed; whatever goes wrong leaves nothing behind. */
export async function installRelease(release: ReleaseToInstall, tools: Tools): Promise<void> {
  const { version, file, url, programs, replacement } = release;
  const { host, files, download } = tools;
  const [{ file: program }] = programs;
  refuseExposedDirectory(tools, path.dirname(program));
  const lock = takeLock(tools, program);
  const archive = besideProgram(program).archive(crypto.randomUUID());
  const clear = () => {
    for (const own of programs)
      for (const each of [besideProgram(own.file).fresh, ...leftBeside(own.file, files)]) files.remove(each);
  };
  try {
    lock.verify();
    // What an update left that was cut short.
    clear();
    await downloadFile({ url, file: archive, size: file.size, sha256: file.sha256 }, { ...download, files });
    lock.verify();
    for (const own of programs) await extractProgram(archive, own.entry(version), besideProgram(own.file).fresh, files);
    await refuseUnfit(host, besideProgram(program).fresh, version);
    lock.verify();
    for (const own of programs) replacement.replace(own.file);
  } catch (error) {
    throw new Error(`Hostler ${version} was not installed: ${plainly(error, program)}. Nothing was changed`, {
      cause: error,
    });
  } finally {
    files.remove(archive);
    if (lock.isOurs()) clear();
    lock.giveBack();
  }
}

/** Others who could write there could put something else into its place between our looking and our doing. */
function refuseExposedDirectory({ host: { storage } }: Tools, directory: string): void {
  const exposure = storage.exposure(directory);
  if (exposure !== null)
    throw new Error(
      `Hostler was not updated: others could change what lies in ${directory} (${exposure.problem}). Mend that with "${exposure.mend}", and try again`,
    );
}

function takeLock({ host: { environment }, files, otherwise }: Tools, program: string): UpdateLock {
  try {
    return takeUpdateLock(program, { files, environment });
  } catch (cause) {
    const code = codeOf(cause) ?? '';
    if (['EACCES', 'EPERM', 'EROFS'].includes(code))
      throw new Error(`${path.dirname(program)} cannot be written by this user, so nothing was changed. ${otherwise}`, {
        cause,
      });
    if (code === '') throw cause;
    throw new Error(`Hostler was not updated: ${plainly(cause, program)}. Nothing was changed`, { cause });
  }
}

const longestStartMs = 30_000;

/** A program that does not even start here, such as one for another kind of machine, never gets into place. */
async function refuseUnfit({ run }: Tools['host'], program: string, version: string): Promise<void> {
  const { exitCode, stdout, stderr } = await run(program, ['version', '--json'], { timeoutMs: longestStartMs });
  const said: unknown = exitCode === 0 ? JSON.parse(stdout) : null;
  if (isObject(said) && said.version === version) return;
  throw new Error(
    exitCode === 0
      ? `the new program says that it is another version`
      : `the new program does not run on this machine (${stderr.trim().split('\n').at(-1)?.slice(0, 200) || `exit code ${exitCode}`})`,
  );
}

function plainly(error: unknown, program: string): string {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk with ${path.dirname(program)} is full`;
  return messageOf(error);
}
