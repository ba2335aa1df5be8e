import { defineLibrary } from '../../host/native-library.ts';
import { slot, wide } from '../../host/windows/native/memory.ts';
import { win32 } from '../../host/windows/native/win32.ts';

/** Yes and No above all other windows; Enter without reading means No. */
const kind = { YESNO: 4, ICONQUESTION: 0x20, DEFBUTTON2: 0x100, TOPMOST: 0x40000 };
const answers: Partial<Record<number, 'yes' | 'no'>> = { 6: 'yes', 7: 'no' };
const { WM_COMMAND, IDNO } = { WM_COMMAND: 0x111, IDNO: 7 };

export const dialogsLibrary = defineLibrary('dialogs', openDialogs, { patienceMs: 200_000 });

/** Prompts in their own window; user32.dll. */
export function openDialogs() {
  return {
    /** Waits for the answer. null: this session has no screen. */
    ask(title: string, text: string) {
      const style = kind.YESNO | kind.ICONQUESTION | kind.DEFBUTTON2 | kind.TOPMOST;
      return answers[win32.MessageBoxW(0, wide(text), wide(title), style)] ?? null;
    },
    /** Answers a prompt of ours with No, from another thread; false: there is none with this title. */
    dismiss(title: string): boolean {
      // The class of all such windows.
      const [dialog, name] = [wide('#32770'), wide(title)];
      for (let window = 0n; ; ) {
        window = BigInt(win32.FindWindowExW(0, window, dialog, name));
        if (window === 0n) return false;
        const owner = slot();
        win32.GetWindowThreadProcessId(window, owner.place);
        if (owner.u32() === process.pid) return win32.PostMessageW(window, WM_COMMAND, IDNO, 0) !== 0;
      }
    },
  };
}
