import type { ActionDefinition } from '../core/action.ts';
import { powerActions } from './power/power.ts';

/** Everything one can do. Transports walk this list and know none of them by name. */
export const actions: readonly ActionDefinition[] = [...powerActions];
