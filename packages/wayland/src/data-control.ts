import type { Wayland } from './connection.ts';
import type { WaylandGlobals } from './globals.ts';

/**
 * The clipboard, for programs without a window: https://wayland.app/protocols/ext-data-control-v1, or its forerunner
 * https://wayland.app/protocols/wlr-data-control-unstable-v1, which differ in their names only.
 */
export interface DataControl {
  /** The content of the clipboard, after all earlier requests; null: empty. */
  offer(): DataOffer | null;
  /**
   * Sets the content. `send` is called for each program that requests it, right after its descriptor arrived; `lost` once, when another
   * program owns the clipboard.
   */
  own(types: readonly string[], send: (type: string) => void, lost: () => void): void;
}

export interface DataOffer {
  types: ReadonlySet<string>;
  /** The file descriptor to write to is sent with it. */
  receive(type: string): void;
}

const [createSource, getDevice] = [0, 1];
const setSelection = 0;
const [offerType, destroySource] = [0, 1];
const [receive, destroyOffer] = [0, 1];
const [offered, selected, , selectedPrimary] = [0, 1, 2, 3];
const mostOffers = 64;
const mostTypes = 256;
const mostCharacters = 256;

/** null: the compositor gives programs without focus no access to the clipboard. `changed`: another selection. */
export function openDataControl(
  wayland: Wayland,
  globals: WaylandGlobals,
  changed: () => void = () => {},
): DataControl | null {
  const manager = globals.bind('ext_data_control_manager_v1', 1) ?? globals.bind('zwlr_data_control_manager_v1', 2);
  const seat = manager === null ? null : globals.bind('wl_seat', 1);
  if (manager === null || seat === null) return null;
  const offers = new Map<number, Set<string>>();
  let current: number | null = null;

  const drop = (id: number | null) => {
    if (id === null || !offers.delete(id)) return;
    wayland.request(id, destroyOffer);
    wayland.forget(id);
  };
  const adopt = (id: number) => {
    if (offers.size >= mostOffers) throw new Error('the compositor sent too many offers');
    const types = new Set<string>();
    offers.set(id, types);
    wayland.adopt(id, (opcode, event) => {
      if (opcode !== offered) return;
      const type = event.text();
      if (types.size < mostTypes && type.length <= mostCharacters) types.add(type);
    });
  };
  const device = wayland.create((opcode, event) => {
    if (opcode === offered) adopt(event.uint());
    // The primary selection is not the clipboard.
    if (opcode === selectedPrimary) drop(event.uint() || null);
    if (opcode !== selected) return;
    const id = event.uint() || null;
    if (id !== current) drop(current);
    current = id;
    changed();
  });
  wayland.request(manager, getDevice, device, seat);

  return {
    offer() {
      const id = current;
      const types = id === null ? undefined : offers.get(id);
      if (id === null || types === undefined) return null;
      return { types, receive: (type) => wayland.request(id, receive, type) };
    },
    own(types, send, lost) {
      const source = wayland.create((opcode, event) => {
        if (opcode === 0) return send(event.text());
        wayland.request(source, destroySource);
        wayland.forget(source);
        lost();
      });
      wayland.request(manager, createSource, source);
      for (const type of types) wayland.request(source, offerType, type);
      wayland.request(device, setSelection, source);
    },
  };
}
