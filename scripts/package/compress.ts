import { spawn } from 'node:child_process';

export type Compress = (data: Uint8Array) => Promise<{ bytes: Uint8Array; ending: '.zst' | '.xz' | '' }>;

/** For tests that install a package at once: compressing a whole program takes a minute of CPU time. */
export const stored: Compress = async (data) => ({ bytes: data, ending: '' });

/** By the runtime itself, whose version is pinned: the same bytes everywhere. */
export const zstd =
  (level: number): Compress =>
  async (data) => ({ bytes: await Bun.zstdCompress(data, { level }), ending: '.zst' });

/** Filters that every unpacker since 2009 supports: for x64 the jump filter, for arm64 only the alignment of instructions to four bytes. Its filter is newer. */
const suited = {
  x64: { filters: ['--x86'], options: '' },
  arm64: { filters: [], options: ',lc=2,lp=2,pb=2' },
};

/**
 * By xz, which compresses a program a tenth smaller, and is what the tools of Debian expect. One thread, so that the number of
 * processors leaves no trace.
 */
export const xz =
  (preset: number, architecture: 'x64' | 'arm64'): Compress =>
  async (data) => {
    const { filters, options } = suited[architecture];
    const lzma = `--lzma2=preset=${preset === 9 ? '9e' : preset}${options}`;
    return {
      bytes: await through('xz', ['--threads=1', '--stdout', '--check=crc64', ...filters, lzma], data),
      ending: '.xz',
    };
  };

function through(program: string, args: readonly string[], data: Uint8Array): Promise<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Uint8Array[] = [];
  child.stdout.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  child.on('error', (error) => reject(new Error(`${program} cannot be started (${error.message}); install xz-utils`)));
  child.on('close', (code) =>
    code === 0 ? resolve(new Uint8Array(Buffer.concat(chunks))) : reject(new Error(`${program} ended with ${code}`)),
  );
  child.stdin.on('error', reject);
  child.stdin.end(data);
  return promise;
}
