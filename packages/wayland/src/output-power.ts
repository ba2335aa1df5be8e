import type { Wayland } from './connection.ts';

export type Lit = 'on' | 'off';

/** How compositors let others switch their displays: a manager that hands out a switch for each. */
export interface PowerProtocol {
  /** Its name in the registry. */
  kind: string;
  getSwitch: number;
  set: number;
  destroy: number;
  modeEvent: number;
  /** Left out: it has none. */
  failedEvent?: number;
  /** Says whether the display can be switched at all. Left out: it has none. */
  supportedEvent?: number;
  /** Whoever has the switch of a display keeps others from it: it is taken for a moment only. */
  isExclusive: boolean;
  /** In its words. */
  on: number;
  off: number;
}

/** Both are bound in version 1. https://wayland.app/protocols/wlr-output-power-management-unstable-v1, https://wayland.app/protocols/kde-dpms */
export const powerProtocols: readonly PowerProtocol[] = [
  {
    kind: 'zwlr_output_power_manager_v1',
    getSwitch: 0,
    set: 0,
    destroy: 1,
    modeEvent: 0,
    failedEvent: 1,
    isExclusive: true,
    on: 1,
    off: 0,
  },
  {
    kind: 'org_kde_kwin_dpms_manager',
    getSwitch: 0,
    set: 0,
    destroy: 1,
    modeEvent: 1,
    supportedEvent: 0,
    isExclusive: false,
    on: 0,
    off: 3,
  },
];

export interface OutputSwitch {
  set(power: Lit): void;
  giveBack(): void;
}

/** How a display is now; null: it cannot be switched, or no longer; fixed: it never can. */
export type HeardPower = Lit | null | 'fixed';

export function openSwitch(
  wayland: Wayland,
  protocol: PowerProtocol,
  { manager, output }: { manager: number; output: number },
  heard: (power: HeardPower) => void,
): OutputSwitch {
  let isLost = false;
  let isFixed = false;
  const id = wayland.create((opcode, event) => {
    if (opcode === protocol.supportedEvent) {
      isFixed = event.uint() === 0;
      if (isFixed) heard('fixed');
      return;
    }
    if (opcode === protocol.modeEvent) {
      // Standby and the like are off to whoever looks at it. A mode is told of what cannot be switched, too, and says nothing.
      if (!isFixed) heard(event.uint() === protocol.on ? 'on' : 'off');
      return;
    }
    if (opcode !== protocol.failedEvent) return;
    giveBack();
    heard(null);
  });
  const giveBack = () => {
    if (isLost) return;
    isLost = true;
    wayland.request(id, protocol.destroy);
    wayland.forget(id);
  };
  wayland.request(manager, protocol.getSwitch, id, output);
  return {
    set(power) {
      if (!isLost) wayland.request(id, protocol.set, protocol[power]);
    },
    giveBack,
  };
}
