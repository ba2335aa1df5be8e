import { textAt, wide } from '../native/memory.ts';
import { win32 } from '../native/win32.ts';

export function openBstr() {
  return {
    /** The texts exist until the work is done. */
    withTexts<T>(texts: readonly string[], work: (...places: (number | bigint)[]) => T): T {
      const places = texts.map((text) => win32.SysAllocString(wide(text)));
      try {
        return work(...places);
      } finally {
        for (const place of places) win32.SysFreeString(place);
      }
    },
    /** A text that the caller has to free. */
    take(place: number, most?: number): string {
      const text = textAt(place, most);
      win32.SysFreeString(place);
      return text;
    },
  };
}
