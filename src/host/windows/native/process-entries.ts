import { SYSTEM_PROCESS_INFORMATION } from './ntdll.structs.ts';
import { readChain, type StructBlock } from './structs.ts';

/** The class of NtQuerySystemInformation for this list. */
export const SystemProcessInformation = 5;

/** Every process with the offset of its entry, which its threads follow. */
export const processEntries = ({ bytes }: StructBlock) => readChain(SYSTEM_PROCESS_INFORMATION, bytes);
