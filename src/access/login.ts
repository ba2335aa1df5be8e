import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import path from 'node:path';
import type { Host } from '../host/host.ts';

/**
 * One-time codes for the browser on this machine: whoever can write the state directory makes one, the service takes
 * it once. So no token stands in an address, an argument list or a shell's history.
 */
export interface LoginCodes {
  issue(): string;
  redeem(code: string): boolean;
}

const validMs = 60_000;

export function createLoginCodes({ storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>): LoginCodes {
  const file = path.join(paths.state, 'login.json');
  return {
    issue() {
      const code = randomBytes(24).toString('base64url');
      storage.prepareDirectory(paths.state);
      storage.write(file, JSON.stringify({ sha256: hashOf(code).toString('hex'), expires: clock.now() + validMs }));
      return code;
    },
    redeem(code) {
      const pending = parsePending(storage.read(file));
      if (pending === null) return false;
      const late = clock.now() > pending.expires;
      const right = timingSafeEqual(pending.hash, hashOf(code));
      if (late || right) storage.remove(file);
      return right && !late;
    },
  };
}

function parsePending(text: string | null): { hash: Buffer; expires: number } | null {
  const match = /^\{"sha256":"([0-9a-f]{64})","expires":(\d+)\}$/.exec(text ?? '');
  return match === null ? null : { hash: Buffer.from(match[1] ?? '', 'hex'), expires: Number(match[2]) };
}

const hashOf = (code: string): Buffer => createHash('sha256').update(code).digest();
