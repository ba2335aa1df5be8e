import { address, pinned } from '../../host/ffi.ts';
import { defineLibrary } from '../../host/native-library.ts';
import { slot } from '../../host/windows/native/memory.ts';
import { filledStruct, readStruct, wideText } from '../../host/windows/native/structs.ts';
import { LASTINPUTINFO, MONITORINFO, RECT } from '../../host/windows/native/user32.structs.ts';
import { win32 } from '../../host/windows/native/win32.ts';

/** user32.dll: the last input and the active window. */
export type UserActivity = ReturnType<typeof openUserActivity>;

const mostCharacters = 1024;
const NEAREST = 2;

export const userActivityLibrary = defineLibrary('desk', openUserActivity);

function openUserActivity() {
  const coversDisplay = (window: bigint): boolean => {
    const [rect, info] = [pinned(RECT.size), filledStruct(MONITORINFO, { cbSize: MONITORINFO.size })];
    if (win32.GetWindowRect(window, address(rect)) === 0) return false;
    if (win32.GetMonitorInfoW(win32.MonitorFromWindow(window, NEAREST), address(info)) === 0) return false;
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
      if (win32.GetLastInputInfo(address(bytes)) === 0) return null;
      // Both counters wrap after 49 days; an input between the two calls counts as 0.
      const ago = (win32.GetTickCount() - readStruct(LASTINPUTINFO, bytes).dwTime) >>> 0;
      return ago > 0x7fffffff && ago > 0xffffffff - 60_000 ? 0 : ago;
    },
    /** The window that has the focus, whether it covers its whole display, and its process, which may be 0; null: no window, or the desktop itself. */
    foreground() {
      const window = BigInt(win32.GetForegroundWindow());
      if (window === 0n || [win32.GetShellWindow(), win32.GetDesktopWindow()].some((no) => BigInt(no) === window))
        return null;
      // GetWindowText would wait for the program.
      const text = pinned(2 * mostCharacters);
      const pid = slot();
      win32.InternalGetWindowText(window, text, mostCharacters);
      win32.GetWindowThreadProcessId(window, pid.place);
      return { title: wideText(text), pid: pid.u32(), fullscreen: coversDisplay(window) };
    },
  };
}
