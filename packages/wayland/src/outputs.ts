import type { Wayland, WaylandEvent } from './connection.ts';
import { type Lit, type OutputSwitch, openSwitch, type PowerProtocol, powerProtocols } from './output-power.ts';

/** A display of a Wayland session. All compositors have these; https://wayland.app/protocols/wayland#wl_output */
export interface WaylandOutput {
  /** Such as DP-1; null: the compositor is older than that. */
  name: string | null;
  description: string | null;
  make: string;
  model: string;
  /** Pixels of the mode, before rotation. */
  width: number;
  height: number;
  /** Turned by 90 degrees, to one side or the other. */
  isTurned: boolean;
  /** Hz; 0: unknown. */
  refresh: number;
  x: number;
  y: number;
  /** Its logical size on the desktop, with rotation and scale; 0: not reported by the compositor. */
  logicalWidth: number;
  logicalHeight: number;
  mmWidth: number;
  mmHeight: number;
  /** null: not reported by the compositor. */
  power: Lit | null;
  /** The compositor reports that it cannot be switched. */
  isFixed: boolean;
}

export interface WaylandOutputs {
  list(): WaylandOutput[];
  /** Name of the primary one; null: the compositor has none, or does not report it here. */
  primary(): string | null;
  /** Whether this compositor lets clients switch its displays. */
  hasPower(): boolean;
  /** Updates `power` of all outputs where changes of it are not reported. */
  readPower(): Promise<void>;
  /** Requests the mode; the result is in the list after the next `sync`, null if it cannot be switched. For a short connection. */
  setPower(output: WaylandOutput, power: Lit): void;
  /** Its object id on this connection, and its rotation; null: removed. */
  object(output: WaylandOutput): { id: number; turn: number } | null;
}

const registryGlobal = 0;
const bind = 0;
const getRegistry = 1;
const getXdgOutput = 1;

/** Complete when it resolves; afterwards `changed` is called for every change. */
export async function followOutputs(wayland: Wayland, changed: () => void): Promise<WaylandOutputs> {
  const outputs = new Map<number, Bound>();
  const primary: { name: string | null; next: string | null } = { name: null, next: null };
  let xdgManager: number | null = null;
  let power: { manager: number; protocol: PowerProtocol } | null = null;

  const takeSwitch = (bound: Bound) => {
    if (power === null || bound.switch !== null) return;
    const { manager, protocol } = power;
    bound.switch = openSwitch(wayland, protocol, { manager, output: bound.id }, (received) => {
      bound.output.isFixed = received === 'fixed';
      bound.output.power = received === 'fixed' ? null : received;
      if (!protocol.isExclusive) changed();
    });
  };

  const describe = (bound: Bound) => {
    if (power?.protocol.isExclusive === false) takeSwitch(bound);
    if (xdgManager === null || bound.hasXdg) return;
    bound.hasXdg = true;
    const own = wayland.create((opcode, event) => receiveXdgOutput(bound.output, opcode, event) && changed());
    wayland.request(xdgManager, getXdgOutput, own, bound.id);
  };

  const interfaces: Record<string, (name: number, version: number) => void> = {
    wl_output(name, version) {
      const output = { ...unknownOutput };
      const id = wayland.create((opcode, event) => receiveOutput(bound, opcode, event) && changed());
      const bound: Bound = { id, output, turn: 0, hasXdg: false, switch: null };
      wayland.request(registry, bind, name, 'wl_output', Math.min(version, 4), id);
      outputs.set(name, bound);
      describe(bound);
    },
    zxdg_output_manager_v1(name, version) {
      xdgManager = wayland.create(() => {});
      wayland.request(registry, bind, name, 'zxdg_output_manager_v1', Math.min(version, 3), xdgManager);
      for (const bound of outputs.values()) describe(bound);
    },
    // KDE's, of different years.
    kde_primary_output_v1(name) {
      const id = wayland.create((opcode, event) => {
        if (opcode !== 0) return;
        primary.name = event.text();
        changed();
      });
      wayland.request(registry, bind, name, 'kde_primary_output_v1', 1, id);
    },
    kde_output_order_v1(name) {
      const id = wayland.create((opcode, event) => {
        // The list begins with the primary one.
        if (opcode === 0) primary.next ??= event.text();
        else {
          primary.name = primary.next;
          primary.next = null;
          changed();
        }
      });
      wayland.request(registry, bind, name, 'kde_output_order_v1', 1, id);
    },
  };

  for (const protocol of powerProtocols) {
    interfaces[protocol.kind] = (name) => {
      if (power !== null) return;
      const manager = wayland.create(() => {});
      wayland.request(registry, bind, name, protocol.kind, 1, manager);
      power = { manager, protocol };
      for (const bound of outputs.values()) describe(bound);
    };
  }

  const registry = wayland.create((opcode, event) => {
    const name = event.uint();
    if (opcode === registryGlobal) {
      const kind = event.text();
      if (Object.hasOwn(interfaces, kind)) interfaces[kind]?.(name, event.uint());
    } else if (outputs.delete(name)) changed();
  });
  wayland.request(1, getRegistry, registry);
  // First the list of globals, then the events of each.
  await wayland.sync();
  await wayland.sync();
  return {
    list: () => [...outputs.values()].map(({ output }) => output),
    primary: () => primary.name,
    hasPower: () => power !== null,
    async readPower() {
      if (power?.protocol.isExclusive !== true) return;
      const taken = [...outputs.values()].filter(({ switch: kept }) => kept === null);
      for (const bound of taken) takeSwitch(bound);
      await wayland.sync();
      for (const bound of taken) {
        bound.switch?.giveBack();
        bound.switch = null;
      }
    },
    setPower(wanted, to) {
      const bound = [...outputs.values()].find(({ output }) => output === wanted);
      if (bound === undefined) return;
      takeSwitch(bound);
      bound.switch?.set(to);
    },
    object: (wanted) => [...outputs.values()].find(({ output }) => output === wanted) ?? null,
  };
}

interface Bound {
  id: number;
  output: WaylandOutput;
  /** https://wayland.app/protocols/wayland#wl_output:enum:transform */
  turn: number;
  hasXdg: boolean;
  switch: OutputSwitch | null;
}

const unknownOutput: WaylandOutput = {
  name: null,
  description: null,
  make: '',
  model: '',
  width: 0,
  height: 0,
  isTurned: false,
  refresh: 0,
  x: 0,
  y: 0,
  logicalWidth: 0,
  logicalHeight: 0,
  mmWidth: 0,
  mmHeight: 0,
  power: null,
  isFixed: false,
};

const isCurrentMode = 1;

/** True at the end of a group of events, when the description is complete. */
function receiveOutput(bound: Bound, opcode: number, event: WaylandEvent): boolean {
  const { output } = bound;
  switch (opcode) {
    case 0: {
      const [x, y, mmWidth, mmHeight] = [event.int(), event.int(), event.int(), event.int()];
      event.uint();
      const [make, model, transform] = [event.text(), event.text(), event.int()];
      Object.assign(output, { x, y, mmWidth, mmHeight, make, model, isTurned: transform % 2 === 1 });
      bound.turn = transform;
      return false;
    }
    case 1: {
      const [flags, width, height, refresh] = [event.uint(), event.int(), event.int(), event.int()];
      if (flags & isCurrentMode) Object.assign(output, { width, height, refresh: refresh / 1000 });
      return false;
    }
    case 4:
      output.name = event.text();
      return false;
    case 5:
      output.description = event.text();
      return false;
    default:
      return opcode === 2;
  }
}

function receiveXdgOutput(output: WaylandOutput, opcode: number, event: WaylandEvent): boolean {
  if (opcode === 0) Object.assign(output, { x: event.int(), y: event.int() });
  if (opcode === 1) Object.assign(output, { logicalWidth: event.int(), logicalHeight: event.int() });
  if (opcode === 3) output.name = event.text();
  if (opcode === 4) output.description ??= event.text();
  // Older versions end their groups here, newer ones with those of the output itself.
  return opcode === 2;
}
