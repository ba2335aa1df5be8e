import { defineLibrary } from '../../host/native-library.ts';
import { slot, wide } from '../../host/windows/native/memory.ts';
import { win32 } from '../../host/windows/native/win32.ts';

const flags = {
  'yes-no': 4,
  'yes-no-cancel': 3,
  question: 0x20,
  topmost: 0x40000,
  // Enter without reading means no.
  secondIsDefault: 0x100,
  thirdIsDefault: 0x200,
};
const answers: Partial<Record<number, 'yes' | 'no' | 'cancel'>> = { 2: 'cancel', 6: 'yes', 7: 'no' };
const { WM_COMMAND, IDNO } = { WM_COMMAND: 0x111, IDNO: 7 };

export const dialogsLibrary = defineLibrary('dialogs', openDialogs, { patienceMs: 200_000 });

/** Prompts in their own window; user32.dll. */
export function openDialogs() {
  return {
    /** Waits for the answer. null: this session has no screen. */
    ask(title: string, text: string, buttons: 'yes-no' | 'yes-no-cancel') {
      const unread = buttons === 'yes-no' ? flags.secondIsDefault : flags.thirdIsDefault;
      const kind = flags[buttons] | flags.question | flags.topmost | unread;
      return answers[win32.MessageBoxW(0, wide(text), wide(title), kind)] ?? null;
    },
    /** Answers a prompt of ours with No, from another thread; false: there is none with this title. */
    dismiss(title: string): boolean {
      // The class of all such windows.
      const [kind, name] = [wide('#32770'), wide(title)];
      for (let window = 0n; ; ) {
        window = BigInt(win32.FindWindowExW(0, window, kind, name));
        if (window === 0n) return false;
        const owner = slot();
        win32.GetWindowThreadProcessId(window, owner.place);
        if (owner.u32() === process.pid) return win32.PostMessageW(window, WM_COMMAND, IDNO, 0) !== 0;
      }
    },
  };
}
