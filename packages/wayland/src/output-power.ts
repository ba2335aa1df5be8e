import type { Wayland } from './connection.ts';

export type Lit = 'on' | 'off';

/** Protocols for switching displays: a manager that creates a control for each. */
export interface PowerProtocol {
  /** Its name in the registry. */
  kind: string;
  getSwitch: number;
  set: number;
  destroy: number;
  modeEvent: number;
  /** Left out: it has none. */
  failedEvent?: number;
  /** Reports whether the display can be switched. Left out: the protocol has no such event. */
  supportedEvent?: number;
  /** The control of a display excludes other programs: hold it for a moment only. */
  isExclusive: boolean;
  /** Values of the protocol. */
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

/** The power state of a display; null: it cannot be switched, or no longer; fixed: it never can. */
export type ReportedPower = Lit | null | 'fixed';

export function openSwitch(
  wayland: Wayland,
  protocol: PowerProtocol,
  { manager, output }: { manager: number; output: number },
  received: (power: ReportedPower) => void,
): OutputSwitch {
  let isLost = false;
  let isFixed = false;
  const id = wayland.create((opcode, event) => {
    if (opcode === protocol.supportedEvent) {
      isFixed = event.uint() === 0;
      if (isFixed) received('fixed');
      return;
    }
    if (opcode === protocol.modeEvent) {
      // Standby and suspend count as off. The mode of a display that cannot be switched is meaningless.
      if (!isFixed) received(event.uint() === protocol.on ? 'on' : 'off');
      return;
    }
    if (opcode !== protocol.failedEvent) return;
    giveBack();
    received(null);
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
