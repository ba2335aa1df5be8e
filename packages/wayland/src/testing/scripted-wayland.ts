import type { Wayland, WaylandEvent } from '../connection.ts';

/** A connection whose compositor is the test; `kinds`: the globals it offers. */
export function scriptedWayland(kinds: readonly string[]) {
  const handlers = new Map<number, (opcode: number, received: WaylandEvent) => void>();
  const names = new Map<string, number>();
  const requests: unknown[][] = [];
  let lastId = 1;
  let closed: (reason: Error) => void = () => {};
  const wayland: Wayland = {
    create(handle) {
      lastId += 1;
      handlers.set(lastId, handle);
      return lastId;
    },
    adopt: (id, handle) => void handlers.set(id, handle),
    forget: (id) => void handlers.delete(id),
    request: (...request) => void requests.push(request),
    sync: async () => {},
    onClosed: (callback) => {
      closed = callback;
    },
    close() {},
  };
  const bind = (kind: string) => {
    if (!kinds.includes(kind)) return null;
    const id = wayland.create(() => {});
    names.set(kind, id);
    return id;
  };
  return {
    wayland,
    bind,
    handlers,
    names,
    requests,
    lastId: () => lastId,
    close: (reason: Error) => closed(reason),
    emit: (id: number, opcode: number, received: WaylandEvent) => handlers.get(id)?.(opcode, received),
  };
}
