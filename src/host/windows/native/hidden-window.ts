import { address, callableFromNative, pinned } from '../../ffi.ts';
import { wide } from './memory.ts';
import { filledStruct } from './structs.ts';
import { MSG, WNDCLASSEXW } from './user32.structs.ts';
import { win32 } from './win32.ts';

const ALL_INPUT = 0x4ff;
const INPUT_AVAILABLE = 4;
const REMOVE = 1;
const FOREVER = 0xffffffff;

/** A hidden window; needs its own thread. `resultOf`: the result of a message; null: the default of Windows. */
export function openHiddenWindow(
  title: string,
  resultOf: (message: number, first: number, second: number) => number | null,
) {
  const procedure = callableFromNative(
    { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i64' },
    (window, message, first, second) =>
      resultOf(Number(message), Number(first), Number(second)) ??
      win32.DefWindowProcW(window, Number(message), first, second),
  );
  // A class belongs to the process, but its procedure to this thread.
  const name = wide(`Hostler-${procedure}`);
  const kind = filledStruct(WNDCLASSEXW, {
    cbSize: WNDCLASSEXW.size,
    lpfnWndProc: procedure,
    hInstance: win32.GetModuleHandleW(0),
    lpszClassName: address(name),
  });
  win32.RegisterClassExW(address(kind));
  // Not a message-only window: those receive no broadcasts.
  const window = win32.CreateWindowExW(0, name, wide(title), 0, 0, 0, 0, 0, 0, 0, 0, 0);
  if (BigInt(window) === 0n) throw new Error('Windows created no window');
  const message = pinned(MSG.size);
  return {
    handle: Number(window),
    /** Waits for posted and sent messages without a limit, and handles them. */
    wait(): void {
      win32.MsgWaitForMultipleObjectsEx(0, 0, FOREVER, ALL_INPUT, INPUT_AVAILABLE);
      while (win32.PeekMessageW(address(message), 0, 0, 0, REMOVE) !== 0) win32.DispatchMessageW(address(message));
    },
    close: () => void win32.DestroyWindow(window),
  };
}
