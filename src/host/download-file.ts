import { createHash } from 'node:crypto';
import { fetchFollowing } from './follow-redirects.ts';
import { type ProgramFiles, programFiles } from './program-files.ts';

export interface WantedFile {
  url: string;
  /** Where it goes; there must be none yet. */
  file: string;
  /** Exactly so many bytes. */
  size: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface FileDownloadOptions {
  userAgent: string;
  /** Without a byte. */
  idleMs?: number;
  /** For all of it. */
  totalMs?: number;
  /** Called with the bytes so far. */
  progress?(bytes: number): void;
  files?: ProgramFiles;
}

const usual = { idleMs: 30_000, totalMs: 30 * 60_000 };

/** Writes what is behind an address to a file, and onto the disk. One that is not exactly what was wanted is removed, and a sentence's end says why. */
export async function downloadFile(wanted: WantedFile, options: FileDownloadOptions): Promise<void> {
  const { userAgent, progress = () => {}, files = programFiles } = options;
  const { idleMs, totalMs } = { ...usual, ...options };
  const giveUp = new AbortController();
  const stop = (sentence: string) => giveUp.abort(new Error(sentence));
  let idle: NodeJS.Timeout | undefined;
  const total = setTimeout(() => stop(`it is not complete after ${totalMs / 1000} s`), totalMs);
  const notIdle = () => {
    clearTimeout(idle);
    idle = setTimeout(() => stop(`nothing came for ${idleMs / 1000} s`), idleMs);
  };
  let descriptor: number | null = null;
  try {
    notIdle();
    const headers = { 'user-agent': userAgent, 'accept-encoding': 'identity' };
    const response = await orReason(giveUp.signal, fetchFollowing(wanted.url, { signal: giveUp.signal, headers }));
    if (response.status !== 200) throw new Error(`it answered ${response.status}`);
    const announced = response.headers.get('content-length');
    if (announced !== null && Number(announced) !== wanted.size)
      throw new Error(`it would be ${announced} bytes instead of ${wanted.size}`);
    descriptor = files.create(wanted.file, 0o600);
    await orReason(giveUp.signal, take(response, descriptor, wanted, { files, progress, notIdle }));
    files.sync(descriptor);
    files.close(descriptor);
  } catch (error) {
    giveUp.abort();
    if (descriptor !== null) {
      files.close(descriptor);
      files.remove(wanted.file);
    }
    throw error;
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
  }
}

interface Taking extends Required<Pick<FileDownloadOptions, 'files' | 'progress'>> {
  notIdle(): void;
}

async function take(
  response: Response,
  descriptor: number,
  { size, sha256 }: WantedFile,
  { files, progress, notIdle }: Taking,
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    notIdle();
    bytes += chunk.byteLength;
    if (bytes > size) throw new Error(`it is larger than the ${size} bytes in the release list`);
    hash.update(chunk);
    files.write(descriptor, chunk);
    progress(bytes);
  }
  if (bytes !== size) throw new Error(`it ended after ${bytes} of ${size} bytes`);
  if (hash.digest('hex') !== sha256) throw new Error('it is not the file in the release list (its SHA-256 differs)');
}

/** Whatever breaks because we gave up, the reason is why we did. */
async function orReason<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
