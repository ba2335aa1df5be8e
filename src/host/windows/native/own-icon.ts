import { win32 } from './win32.ts';

const IDI_APPLICATION = 32_512;
/** scripts/windows-resources.mjs puts it into the program under this number. */
const ownIconId = 1;

/** Our icon, or the default one when run from source. */
export function loadOwnIcon(): number {
  const own = Number(win32.LoadIconW(win32.GetModuleHandleW(0), ownIconId));
  return own === 0 ? Number(win32.LoadIconW(0, IDI_APPLICATION)) : own;
}
