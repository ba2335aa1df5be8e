/** dbus-native, loaded at the first use of a bus: it costs 10 MB and 30 ms. */
export async function loadLibrary() {
  const library = await import('dbus-native');
  // @ts-expect-error this part of it has no types
  const { default: reader }: { default: { prototype: Reader } } = await import('dbus-native/lib/dbus-buffer.js');
  guard(reader.prototype);
  return library;
}

interface Reader {
  readArray(this: unknown, element: Element, bytes: number): unknown;
}

interface Element {
  type: string;
  child: readonly Element[];
}

const guarded = new WeakSet<Reader>();

/** Left alone, it reads an array of empty structs until the memory is full. */
function guard(reader: Reader): void {
  if (guarded.has(reader)) return;
  guarded.add(reader);
  const { readArray } = reader;
  reader.readArray = function (element, bytes) {
    if (isEmpty(element)) throw new Error('A D-Bus message has an array of nothing');
    return readArray.call(this, element, bytes);
  };
}

function isEmpty({ type, child }: Element): boolean {
  return (type === '(' || type === '{' || type === 'r') && child.every(isEmpty);
}
