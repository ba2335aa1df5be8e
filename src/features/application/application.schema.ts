import { z } from 'zod';

export const exitInputSchema = z.object({});
export const exitOutputSchema = z.null();
