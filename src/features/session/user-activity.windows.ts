import { address, pinned } from '../../host/ffi.ts';
import { defineLibrary } from '../../host/native-library.ts';
import { systemLibrary } from '../../host/windows/native/library.ts';
import { slot } from '../../host/windows/native/memory.ts';
import { filledStruct, readStruct, wideText } from '../../host/windows/native/structs.ts';
import { LASTINPUTINFO, MONITORINFO, RECT } from '../../host/windows/native/user32.structs.ts';

/** user32.dll: the last input and the active window. */
export type UserActivity = ReturnType<typeof openUserActivity>;

const mostCharacters = 1024;
const NEAREST = 2;

export const userActivityLibrary = defineLibrary('desk', openUserActivity);

function openUserActivity() {
  const user32 = systemLibrary('user32.dll', {
    GetLastInputInfo: { args: ['ptr'], returns: 'i32' },
    GetForegroundWindow: { args: [], returns: 'u64' },
    GetShellWindow: { args: [], returns: 'u64' },
    GetDesktopWindow: { args: [], returns: 'u64' },
    InternalGetWindowText: { args: ['u64', 'ptr', 'i32'], returns: 'i32' },
    GetWindowThreadProcessId: { args: ['u64', 'ptr'], returns: 'u32' },
    GetWindowRect: { args: ['u64', 'ptr'], returns: 'i32' },
    MonitorFromWindow: { args: ['u64', 'u32'], returns: 'u64' },
    GetMonitorInfoW: { args: ['u64', 'ptr'], returns: 'i32' },
  });
  const { GetTickCount } = systemLibrary('kernel32.dll', { GetTickCount: { args: [], returns: 'u32' } });
  const coversDisplay = (window: bigint): boolean => {
    const [rect, info] = [pinned(RECT.size), filledStruct(MONITORINFO, { cbSize: MONITORINFO.size })];
    if (user32.GetWindowRect(window, address(rect)) === 0) return false;
    if (user32.GetMonitorInfoW(user32.MonitorFromWindow(window, NEAREST), address(info)) === 0) return false;
    const { left, top, right, bottom } = readStruct(RECT, rect);
    const display = readStruct(MONITORINFO, info);
    return (
      left <= display['rcMonitor.left'] &&
      top <= display['rcMonitor.top'] &&
      right >= display['rcMonitor.right'] &&
      bottom >= display['rcMonitor.bottom']
    );
  };
  return {
    /** Milliseconds since a key or the pointer was used; null: unknown. */
    sinceInput(): number | null {
      const bytes = filledStruct(LASTINPUTINFO, { cbSize: LASTINPUTINFO.size });
      if (user32.GetLastInputInfo(address(bytes)) === 0) return null;
      // Both counters wrap after 49 days; an input between the two calls counts as 0.
      const ago = (GetTickCount() - readStruct(LASTINPUTINFO, bytes).dwTime) >>> 0;
      return ago > 0x7fffffff && ago > 0xffffffff - 60_000 ? 0 : ago;
    },
    /** The window that has the focus, whether it covers its whole display, and its process, which may be 0; null: no window, or the desktop itself. */
    foreground() {
      const window = BigInt(user32.GetForegroundWindow());
      if (window === 0n || [user32.GetShellWindow(), user32.GetDesktopWindow()].some((no) => BigInt(no) === window))
        return null;
      // GetWindowText would wait for the program.
      const text = pinned(2 * mostCharacters);
      const pid = slot();
      user32.InternalGetWindowText(window, text, mostCharacters);
      user32.GetWindowThreadProcessId(window, pid.place);
      return { title: wideText(text), pid: pid.u32(), fullscreen: coversDisplay(window) };
    },
  };
}
