import type { Wayland } from './connection.ts';

/** The current globals of the compositor. */
export interface WaylandGlobals {
  /** Binds the first global of this interface and passes on its events; null: there is no such global. */
  bind(kind: string, version: number, handle?: Parameters<Wayland['create']>[0]): number | null;
}

const getRegistry = 1;
const bind = 0;

export async function readGlobals(wayland: Wayland): Promise<WaylandGlobals> {
  const found = new Map<string, { name: number; version: number }>();
  const registry = wayland.create((opcode, event) => {
    if (opcode !== 0) return;
    const [name, kind, version] = [event.uint(), event.text(), event.uint()];
    if (!found.has(kind)) found.set(kind, { name, version });
  });
  wayland.request(1, getRegistry, registry);
  await wayland.sync();
  return {
    bind(kind, version, handle = () => {}) {
      const global = found.get(kind);
      if (global === undefined) return null;
      const id = wayland.create(handle);
      wayland.request(registry, bind, global.name, kind, Math.min(version, global.version), id);
      return id;
    },
  };
}
