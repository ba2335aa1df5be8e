import { copyFrom, functionAt } from '../../ffi.ts';
import { guidBytes } from '../native/guid.ts';
import { type Slot, slot, textAt } from '../native/memory.ts';
import { win32 } from '../native/win32.ts';
import type { ComInterface } from './interfaces.ts';

/** A COM object. It is released with all others of the same `within`. */
export interface ComObject<I extends ComInterface = ComInterface> {
  place: number;
  /** Throws where the method reports a failure. */
  call(method: keyof I['methods'] & string, ...args: unknown[]): void;
  /** The result alone, which is an HRESULT. */
  attempt(method: keyof I['methods'] & string, ...args: unknown[]): number;
  /** The same for methods whose last argument is a place for one value. */
  ask(method: keyof I['methods'] & string, ...args: unknown[]): Slot;
  /** …which is an object; null: none. */
  get<J extends ComInterface>(of: J, method: keyof I['methods'] & string, ...args: unknown[]): ComObject<J> | null;
  /** …which is text that the caller has to free. */
  text(method: keyof I['methods'] & string): string;
  /** Another interface of the same object; null: it has none. */
  as<J extends ComInterface>(of: J): ComObject<J> | null;
}

/** Releases all objects of the work at its end. */
export interface ComScope {
  create<I extends ComInterface>(classId: string, of: I): ComObject<I>;
  /** Adopts an object whose reference we own already. */
  adopt<I extends ComInterface>(place: number, of: I): ComObject<I>;
}

/** An error that names the call and its HRESULT. */
export class ComError extends Error {
  readonly result: number;

  constructor(call: string, result: number) {
    super(`${call} failed with 0x${(result >>> 0).toString(16).padStart(8, '0')}`);
    this.result = result;
  }
}

const { QUERY_INTERFACE, RELEASE } = { QUERY_INTERFACE: 0, RELEASE: 2 };
/** In this process, on this machine, or on another. */
const anyContext = 0x17;

/** COM for the thread that opens it. */
export function openCom() {
  // Multithreaded: this thread has no message loop. An earlier initialisation stays in effect.
  win32.CoInitializeEx(0, 0);
  const functions = new Map<string, (...args: unknown[]) => unknown>();

  /** A cache: each method needs its own native code; there are a few dozen. */
  const methodOf = (place: number, number: number, args: readonly unknown[]) => {
    const table = pointerAt(place);
    const at = pointerAt(table + 8 * number);
    const key = `${at} ${args.join()}`;
    const known = functions.get(key);
    if (known !== undefined) return known;
    const made = functionAt(at, { args: ['u64', ...args] as never, returns: 'i32' });
    functions.set(key, made);
    return made;
  };

  const objectAt = <I extends ComInterface>(place: number, of: I, scope: Scope): ComObject<I> => {
    scope.push(place);
    const attempt = (method: string, ...args: unknown[]) => {
      const described = of.methods[method];
      if (described === undefined) throw new Error(`${shortName(of)} has no ${method}`);
      const [number, ...types] = described;
      return Number(methodOf(place, number, types)(place, ...args));
    };
    const call = (method: string, ...args: unknown[]) => {
      const result = attempt(method, ...args);
      if (result < 0) throw new ComError(`${shortName(of)}.${method}`, result);
    };
    const ask = (method: string, ...args: unknown[]) => {
      const value = slot();
      call(method, ...args, value.place);
      return value;
    };
    const found = <J extends ComInterface>(at: number, other: J) => (at === 0 ? null : objectAt(at, other, scope));
    return {
      place,
      call,
      attempt,
      ask,
      get: (other, method, ...args) => found(ask(method, ...args).u64(), other),
      text(method) {
        const value = ask(method).u64();
        const text = textAt(value);
        win32.CoTaskMemFree(value);
        return text;
      },
      as(other) {
        const value = slot();
        const result = methodOf(place, QUERY_INTERFACE, ['ptr', 'ptr'])(place, guidBytes(other.id), value.place);
        return Number(result) < 0 ? null : found(value.u64(), other);
      },
    };
  };

  return {
    /** Frees memory that an object returned to the caller. */
    free: (place: number) => win32.CoTaskMemFree(place),
    /** All objects of the work are released at its end, the last one first. */
    within<T>(work: (scope: ComScope) => T): T {
      const scope: Scope = [];
      try {
        return work({
          create(classId, of) {
            const value = slot();
            const result = win32.CoCreateInstance(guidBytes(classId), 0, anyContext, guidBytes(of.id), value.place);
            if (result < 0) throw new ComError(`Creating ${shortName(of)}`, result);
            return objectAt(value.u64(), of, scope);
          },
          adopt: (place, of) => objectAt(place, of, scope),
        });
      } finally {
        for (const place of scope.reverse()) methodOf(place, RELEASE, [])(place);
      }
    },
  };
}

export type Com = ReturnType<typeof openCom>;

type Scope = number[];

/** C puts the namespace before the names of WinRT. */
const shortName = ({ name }: ComInterface) => name.split('_C').at(-1) ?? name;

const pointerAt = (place: number): number => Number(new DataView(copyFrom(place, 8).buffer).getBigUint64(0, true));
