import type { Unit } from '../lib/units.ts';

/** Where documents carry the unit of a number, so that clients can show a field without knowing its module. */
export const unitKey = 'x-unit';

/** For `.meta()`: `z.number().describe('Size, bytes').meta(unit('bytes'))`. */
export const unit = (name: Unit) => ({ [unitKey]: name });
