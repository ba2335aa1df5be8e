import { address, callableFromNative, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { wide } from './memory.ts';
import { filledStruct } from './structs.ts';
import { MSG, WNDCLASSEXW } from './user32.structs.ts';

const ALL_INPUT = 0x4ff;
const INPUT_AVAILABLE = 4;
const REMOVE = 1;
const FOREVER = 0xffffffff;

/** A hidden window; needs its own thread. `resultOf`: the result of a message; null: the default of Windows. */
export function openHiddenWindow(
  title: string,
  resultOf: (message: number, first: number, second: number) => number | null,
) {
  const user32 = systemLibrary('user32.dll', {
    RegisterClassExW: { args: ['ptr'], returns: 'u16' },
    CreateWindowExW: {
      args: ['u32', 'ptr', 'ptr', 'u32', 'i32', 'i32', 'i32', 'i32', 'i64', 'u64', 'u64', 'u64'],
      returns: 'u64',
    },
    DestroyWindow: { args: ['u64'], returns: 'i32' },
    DefWindowProcW: { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i64' },
    MsgWaitForMultipleObjectsEx: { args: ['u32', 'u64', 'u32', 'u32', 'u32'], returns: 'u32' },
    PeekMessageW: { args: ['ptr', 'u64', 'u32', 'u32', 'u32'], returns: 'i32' },
    DispatchMessageW: { args: ['ptr'], returns: 'i64' },
  });
  const { GetModuleHandleW } = systemLibrary('kernel32.dll', { GetModuleHandleW: { args: ['u64'], returns: 'u64' } });
  const procedure = callableFromNative(
    { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i64' },
    (window, message, first, second) =>
      resultOf(Number(message), Number(first), Number(second)) ??
      user32.DefWindowProcW(window, Number(message), first, second),
  );
  // A class belongs to the process, but its procedure to this thread.
  const name = wide(`Hostler-${procedure}`);
  const kind = filledStruct(WNDCLASSEXW, {
    cbSize: WNDCLASSEXW.size,
    lpfnWndProc: procedure,
    hInstance: GetModuleHandleW(0),
    lpszClassName: address(name),
  });
  user32.RegisterClassExW(address(kind));
  // Not a message-only window: those receive no broadcasts.
  const window = user32.CreateWindowExW(0, name, wide(title), 0, 0, 0, 0, 0, 0, 0, 0, 0);
  if (BigInt(window) === 0n) throw new Error('Windows created no window');
  const message = pinned(MSG.size);
  return {
    handle: Number(window),
    /** Waits for posted and sent messages without a limit, and handles them. */
    wait(): void {
      user32.MsgWaitForMultipleObjectsEx(0, 0, FOREVER, ALL_INPUT, INPUT_AVAILABLE);
      while (user32.PeekMessageW(address(message), 0, 0, 0, REMOVE) !== 0) user32.DispatchMessageW(address(message));
    },
    close: () => void user32.DestroyWindow(window),
  };
}
