import { createContext } from './context.ts';
import { exitCodeOf } from './exit.ts';
import { serve } from './serve.ts';

/** `hostler serve` without options. */
export async function runServeOnly(_args: string[]): Promise<number> {
  return await exitCodeOf(async () => serve(await createContext(), {}));
}
