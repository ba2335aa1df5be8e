import { systemLibrary } from './library.ts';

const IDI_APPLICATION = 32_512;
/** scripts/windows-resources.mjs puts it into the program under this number. */
const ownIconId = 1;

/** Our icon, or the default one when run from source. */
export function loadOwnIcon(): number {
  const { LoadIconW } = systemLibrary('user32.dll', { LoadIconW: { args: ['u64', 'u64'], returns: 'u64' } });
  const { GetModuleHandleW } = systemLibrary('kernel32.dll', { GetModuleHandleW: { args: ['u64'], returns: 'u64' } });
  const own = Number(LoadIconW(GetModuleHandleW(0), ownIconId));
  return own === 0 ? Number(LoadIconW(0, IDI_APPLICATION)) : own;
}
