import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { plainTypedCode } from '../../lib/pairing/typed-code.ts';
import { type LoginCodes, loginCodeMs } from './login-codes.ts';

/** Signs in the browser of the user on this machine: a one-time code, and a page that submits it without showing it. */
export interface SignIn extends LoginCodes {
  /** `page` builds the page for a code. Only this user can read the file; it is removed once the code is used or has expired. */
  offer(page: (code: string) => string): SignInOffer;
  /** Whether this service offered the code and it is unused. Does not use it. */
  isOffered(code: string): boolean;
  /** Removes the pages; their codes expire. */
  close(): void;
}

export interface SignInOffer {
  code: string;
  /** null: no page could be written; the code has to be typed. */
  file: string | null;
  seconds: number;
}

/** One for each pending code. Fixed names, so that files left by a killed service are overwritten. */
const slots = 5;

export function createSignIn(
  host: Pick<Host, 'storage' | 'paths' | 'clock' | 'environment'>,
  login: LoginCodes,
  complain: (sentence: string) => void,
): SignIn {
  const { storage, clock } = host;
  const pages = new Map<string, string | null>();
  let made = 0;

  const write = (text: string): string | null => {
    const name = `hostler-sign-in-${(made++ % slots) + 1}.html`;
    for (const directory of placesFor(host)) {
      const file = path.join(directory, name);
      try {
        storage.write(file, text);
        return file;
      } catch {
        // The next place may do.
      }
    }
    complain('access: the sign-in page could not be written, neither to the runtime nor to the state directory');
    return null;
  };

  const end = (code: string) => {
    const file = pages.get(code);
    pages.delete(code);
    try {
      if (typeof file === 'string' && ![...pages.values()].includes(file)) storage.remove(file);
    } catch {
      // Its code is worth nothing any more.
    }
  };

  return {
    issue: login.issue,
    isWaiting: (code) => login.isWaiting(plainTypedCode(code)),
    redeem(code) {
      const plain = plainTypedCode(code);
      const isGood = login.redeem(plain);
      if (isGood) end(plain);
      return isGood;
    },
    offer(page) {
      const code = login.issue();
      const file = write(page(code));
      pages.set(code, file);
      clock.after(loginCodeMs, () => end(code));
      return { code, file, seconds: loginCodeMs / 1000 };
    },
    isOffered: (code) => pages.has(plainTypedCode(code)),
    close() {
      for (const code of [...pages.keys()]) end(code);
    },
  };
}

/**
 * The runtime directory, else the state directory. Browsers from snaps can read neither, nor hidden files, only the rest of the home directory: the
 * page is there for a moment. For browsers from Flatpaks the desktop passes the file, wherever it is.
 */
function placesFor({ storage, paths, environment }: Pick<Host, 'storage' | 'paths' | 'environment'>): string[] {
  const hasSnaps = storage.signature(path.join(environment.home, 'snap')) !== null;
  const visible = hasSnaps ? [path.join(environment.home, 'Downloads'), environment.home] : [];
  const runtime = paths.runtime === null ? [] : [paths.runtime];
  // Where others can write, they could put links to files of the user in the place of the page.
  const usable = [...visible, ...runtime].filter((directory) => storage.exposure(directory) === null);
  return [...usable, paths.state].filter((directory) => storage.signature(directory) !== null);
}
