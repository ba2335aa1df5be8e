import { systemLibrary } from '../native/library.ts';
import { textAt, wide } from '../native/memory.ts';

export function openBstr() {
  const { SysAllocString, SysFreeString } = systemLibrary('oleaut32.dll', {
    SysAllocString: { args: ['ptr'], returns: 'u64' },
    SysFreeString: { args: ['u64'], returns: 'void' },
  });
  return {
    /** The texts exist until the work is done. */
    withTexts<T>(texts: readonly string[], work: (...places: (number | bigint)[]) => T): T {
      const places = texts.map((text) => SysAllocString(wide(text)));
      try {
        return work(...places);
      } finally {
        for (const place of places) SysFreeString(place);
      }
    },
    /** A text that the caller has to free. */
    take(place: number, most?: number): string {
      const text = textAt(place, most);
      SysFreeString(place);
      return text;
    },
  };
}
