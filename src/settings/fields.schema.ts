import { z } from 'zod';

/** A line of text, such as a path. */
export const textSchema = z.string().max(4096);

/** A name that users choose. */
export const nameSchema = z.string().trim().min(1).max(256);
