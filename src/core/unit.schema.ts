/** The unit of a number. Documents contain it as `x-unit`, so that clients can show a field without knowing its module. */
export type Unit =
  | 'bytes'
  | 'mebibytes'
  | 'bits_per_second'
  | 'megabits_per_second'
  | 'seconds'
  | 'milliseconds'
  | 'unix_seconds'
  | 'percent'
  | 'celsius'
  | 'hertz'
  | 'megahertz'
  | 'watts'
  | 'volts'
  | 'rpm'
  | 'pixels'
  | 'millimetres'
  | 'decibels';

export const unitKey = 'x-unit';

/** For `.meta()`: `z.number().describe('Size, bytes').meta(unit('bytes'))`. */
export const unit = (name: Unit) => ({ [unitKey]: name });
