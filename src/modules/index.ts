import type { ModuleDefinition } from '../core/module.ts';
import { chat } from './chat/chat.ts';
import { displays } from './displays/displays.ts';
import { media } from './media/media.ts';
import { memory } from './memory/memory.ts';
import { system } from './system/system.ts';

/** Everything one can read. Transports walk this list and know none of them by name. */
export const modules: readonly ModuleDefinition[] = [chat, displays, media, memory, system];
