import type { FFIFunction } from '../../ffi.ts';

type Argument = NonNullable<FFIFunction['args']>[number];

/**
 * Interfaces of COM and WinRT as data: the number of each method in the table, and its arguments after the object itself. Written
 * down once and checked against the headers by test/real/tests/windows-structs.test.ts, number and name of the interface.
 */
export interface ComInterface<M extends ComMethods = ComMethods> {
  /** As C spells it. */
  name: string;
  id: string;
  /** `wine`: those of mingw lack it; `neither`: nothing to check it against. */
  headers: 'windows' | 'wine' | 'neither';
  methods: M;
}

export type ComMethods = Record<string, readonly [slot: number, ...args: Argument[]]>;

export function defineInterface<const M extends ComMethods>(
  name: string,
  id: string,
  methods: M,
  headers: ComInterface['headers'] = 'windows',
): ComInterface<M> {
  return { name, id, headers, methods };
}
