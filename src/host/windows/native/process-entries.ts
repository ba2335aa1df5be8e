import { SYSTEM_PROCESS_INFORMATION } from './ntdll.structs.ts';
import { readStruct, type StructBlock, type StructValues } from './structs.ts';

/** The class of NtQuerySystemInformation for this list. */
export const SystemProcessInformation = 5;

/** Every process with the offset of its entry, which its threads follow. */
export function processEntries({ bytes }: StructBlock) {
  const found: { at: number; entry: StructValues<typeof SYSTEM_PROCESS_INFORMATION> }[] = [];
  for (let at = 0; at + SYSTEM_PROCESS_INFORMATION.size <= bytes.length; ) {
    const entry = readStruct(SYSTEM_PROCESS_INFORMATION, bytes, at);
    found.push({ at, entry });
    if (entry.NextEntryOffset === 0) break;
    at += entry.NextEntryOffset;
  }
  return found;
}
