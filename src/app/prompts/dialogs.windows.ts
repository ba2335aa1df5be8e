import { defineLibrary } from '../../host/native-library.ts';
import { systemLibrary } from '../../host/windows/native/library.ts';
import { slot, wide } from '../../host/windows/native/memory.ts';

/** Prompts in their own window; user32.dll. */
export interface Dialogs {
  /** Waits for the answer. null: this session has no screen. */
  ask(title: string, text: string, buttons: 'yes-no' | 'yes-no-cancel'): 'yes' | 'no' | 'cancel' | null;
  /** Answers a prompt of ours with No, from another thread; false: there is none with this title. */
  dismiss(title: string): boolean;
}

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

export function openDialogs(): Dialogs {
  const user32 = systemLibrary('user32.dll', {
    MessageBoxW: { args: ['u64', 'ptr', 'ptr', 'u32'], returns: 'i32' },
    FindWindowExW: { args: ['u64', 'u64', 'ptr', 'ptr'], returns: 'u64' },
    GetWindowThreadProcessId: { args: ['u64', 'ptr'], returns: 'u32' },
    PostMessageW: { args: ['u64', 'u32', 'u64', 'i64'], returns: 'i32' },
  });
  return {
    ask(title, text, buttons) {
      const unread = buttons === 'yes-no' ? flags.secondIsDefault : flags.thirdIsDefault;
      const kind = flags[buttons] | flags.question | flags.topmost | unread;
      return answers[user32.MessageBoxW(0, wide(text), wide(title), kind)] ?? null;
    },
    dismiss(title) {
      // The class of all such windows.
      const [kind, name] = [wide('#32770'), wide(title)];
      for (let window = 0n; ; ) {
        window = BigInt(user32.FindWindowExW(0, window, kind, name));
        if (window === 0n) return false;
        const owner = slot();
        user32.GetWindowThreadProcessId(window, owner.place);
        if (owner.u32() === process.pid) return user32.PostMessageW(window, WM_COMMAND, IDNO, 0) !== 0;
      }
    },
  };
}
