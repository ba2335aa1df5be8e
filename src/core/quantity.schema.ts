import { z } from 'zod';
import type { Unit } from '../lib/units.ts';
import { unit } from './unit.schema.ts';

/** A number that is not negative: `quantity('bytes', 'Size, bytes')`. */
export const quantity = (name: Unit, meaning: string) => z.number().nonnegative().describe(meaning).meta(unit(name));

export const quantityOrNull = (name: Unit, meaning: string) =>
  z.number().nonnegative().nullable().describe(meaning).meta(unit(name));
