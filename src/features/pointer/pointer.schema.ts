import { z } from 'zod';

/** Larger than any desktop. */
const place = z.number().min(-100_000).max(100_000);
const distance = z.number().min(-10_000).max(10_000);
const steps = z.int().min(-100).max(100);

const display = z
  .string()
  .min(1)
  .max(1000)
  .nullish()
  .describe(
    'id of a display, as listed by the module displays; x and y then count its pixels from its upper left corner',
  );

const x = place
  .nullish()
  .describe('Where to, from the left: in the virtual desktop, as x of the module displays, or on the given display');
const y = place
  .nullish()
  .describe('Where to, from the top: in the virtual desktop, as y of the module displays, or on the given display');

/** Unknown fields are refused because they would have no effect. */
export const pointerMoveInputSchema = z
  .strictObject({
    x,
    y,
    display,
    dx: distance.nullish().describe('By how much to the right, instead of x and y; negative: to the left'),
    dy: distance.nullish().describe('By how much down, instead of x and y; negative: up'),
  })
  .refine(({ x: left, y: top, dx, dy }) => isPlace(left, top) !== (isGiven(dx) || isGiven(dy)), {
    error: 'give x and y, or dx and dy',
  })
  .refine(({ x: left, y: top }) => isGiven(left) === isGiven(top), { error: 'x and y belong together' })
  .refine(({ x: left, display: id }) => !isGiven(id) || isGiven(left), {
    error: 'a display needs x and y',
  });
export type PointerMoveInput = z.infer<typeof pointerMoveInputSchema>;

export const pointerMoveOutputSchema = z.object({
  display: z.string().nullable().describe('id of the display it was moved to; null after a move by dx and dy'),
  x: z.number().nullable().describe('Where it is on that display, in its pixels; null after a move by dx and dy'),
  y: z.number().nullable().describe('Where it is on that display, in its pixels; null after a move by dx and dy'),
});
export const pointerClickInputSchema = z
  .strictObject({
    button: z.enum(['left', 'middle', 'right']).nullish().describe('Which button; default left'),
    count: z.int().min(1).max(3).nullish().describe('How often: 2 is a double click; default 1'),
    x: x.describe('Moves there first, as pointer.move does; left out: clicks where the pointer is'),
    y: y.describe('Moves there first, as pointer.move does; left out: clicks where the pointer is'),
    display,
  })
  .refine(({ x: left, y: top }) => isGiven(left) === isGiven(top), { error: 'x and y belong together' })
  .refine(({ x: left, display: id }) => !isGiven(id) || isGiven(left), {
    error: 'a display needs x and y',
  });
export type PointerClickInput = z.infer<typeof pointerClickInputSchema>;

export const pointerClickOutputSchema = z.object({
  button: z.enum(['left', 'middle', 'right']).describe('What was clicked'),
  count: z.int().describe('How often'),
});
export type PointerClickOutput = z.infer<typeof pointerClickOutputSchema>;

export const pointerScrollInputSchema = z
  .strictObject({
    dx: steps.nullish().describe('Steps of the wheel to the right; negative: to the left'),
    dy: steps.nullish().describe('Steps of the wheel down; negative: up'),
  })
  .refine(({ dx, dy }) => isGiven(dx) || isGiven(dy), { error: 'give dx, dy or both' });
export const pointerScrollOutputSchema = z.object({
  dx: z.int().describe('Steps to the right'),
  dy: z.int().describe('Steps down'),
});
export type PointerScrollOutput = z.infer<typeof pointerScrollOutputSchema>;

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;

const isPlace = (left: unknown, top: unknown): boolean => isGiven(left) || isGiven(top);
