import type { Sealing } from '../sealing.ts';
import type { Crypt32 } from './native/crypt32.ts';

/** Encryption with the keys that Windows has for this user on this machine. https://learn.microsoft.com/windows/win32/seccng/cng-dpapi */
export function createDpapi(load: () => Promise<Pick<Crypt32, 'protect' | 'unprotect'>>): Sealing {
  return {
    async seal(text) {
      const bytes = (await load()).protect(Buffer.from(text));
      if (bytes === null) throw new Error('Windows does not encrypt for this user (CryptProtectData failed)');
      return Buffer.from(bytes).toString('base64');
    },
    async open(sealed) {
      const bytes = (await load()).unprotect(Buffer.from(sealed, 'base64'));
      if (bytes === null)
        throw new Error('it belongs to another account of Windows, or to one whose password was reset; remove it');
      return Buffer.from(bytes).toString();
    },
  };
}
