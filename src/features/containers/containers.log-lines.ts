import type { ContainerLogs } from './containers.schema.ts';

type LogLine = ContainerLogs['lines'][number];
type LogStream = LogLine['stream'];

/** Characters of one line; the rest is cut. */
const longestLine = 4096;
/** A container may write lines of any length, and engines do not cut them. */
const mostBytes = 8 * 1024 * 1024;
const headerBytes = 8;

/**
 * The output of a container. Without a terminal it comes in frames: which stream, three zeros, a length in four bytes, and the bytes.
 * https://docs.docker.com/reference/api/engine/version/v1.47/#tag/Container/operation/ContainerAttach
 */
export function createLogLines({ hasTerminal, most }: { hasTerminal: boolean; most: number }) {
  const lines: LogLine[] = [];
  const streams: Record<LogStream, { decoder: TextDecoder; partial: string; cut: boolean }> = {
    stdout: { decoder: new TextDecoder(), partial: '', cut: false },
    stderr: { decoder: new TextDecoder(), partial: '', cut: false },
  };
  const header = Buffer.alloc(headerBytes);
  let inHeader = 0;
  let remaining = 0;
  let stream: LogStream = 'stdout';
  let taken = 0;
  let truncated = false;

  const finish = (of: LogStream) => {
    const { partial, cut } = streams[of];
    streams[of].partial = '';
    streams[of].cut = false;
    truncated ||= cut;
    lines.push(parseLogLine(partial, of));
    if (lines.length > most) lines.shift();
  };

  const write = (of: LogStream, bytes: Uint8Array) => {
    const state = streams[of];
    const parts = state.decoder.decode(bytes, { stream: true }).split('\n');
    for (const [at, part] of parts.entries()) {
      if (at > 0) finish(of);
      const room = longestLine + longestTime - state.partial.length;
      if (part.length > room) state.cut = true;
      state.partial += part.slice(0, Math.max(0, room));
    }
  };

  const frames = (bytes: Uint8Array) => {
    let at = 0;
    while (at < bytes.length) {
      if (remaining === 0) {
        const missing = bytes.subarray(at, at + headerBytes - inHeader);
        header.set(missing, inHeader);
        inHeader += missing.length;
        at += missing.length;
        if (inHeader < headerBytes) return;
        inHeader = 0;
        stream = header[0] === 2 ? 'stderr' : 'stdout';
        remaining = header.readUInt32BE(4);
        continue;
      }
      const piece = bytes.subarray(at, at + remaining);
      write(stream, piece);
      remaining -= piece.length;
      at += piece.length;
    }
  };

  return {
    take(bytes: Uint8Array): 'more' | 'enough' {
      taken += bytes.length;
      if (taken > mostBytes) {
        truncated = true;
        return 'enough';
      }
      if (hasTerminal) write('stdout', bytes);
      else frames(bytes);
      return 'more';
    },
    end() {
      for (const of of ['stdout', 'stderr'] as const) if (streams[of].partial !== '') finish(of);
      return { lines, truncated };
    },
  };
}

const longestTime = 36;

/** Every line begins with its timestamp, because the request has `timestamps=1`. */
function parseLogLine(line: string, stream: LogStream): LogLine {
  const [, time = '', rest] = /^(\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s.exec(line) ?? [];
  const text = (rest ?? line).replace(/\r$/, '');
  return { time, stream, text: text.slice(0, longestLine).toWellFormed() };
}
