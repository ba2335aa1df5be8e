import { openWayland } from '@hostler/wayland/connection.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';

/** A mouse for a Wayland compositor without one. https://wayland.app/protocols/wlr-virtual-pointer-unstable-v1 */
export interface VirtualPointer {
  moveTo(x: number, y: number): Promise<void>;
  click(button: 'left' | 'right'): Promise<void>;
  close(): void;
}

const codes = { left: 0x110, right: 0x111 };

/** `width` and `height`: of all its displays together. */
export async function openVirtualPointer(
  socket: string,
  { width, height }: { width: number; height: number },
): Promise<VirtualPointer> {
  const clock = {
    now: Date.now,
    monotonic: () => performance.now(),
    cpu: () => 0,
    after(ms: number, callback: () => void) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const wayland = await openWayland(connectVerified, clock, { socket, timeoutMs: 30_000 });
  const globals = new Map<string, number>();
  const registry = wayland.create((opcode, event) => {
    if (opcode !== 0) return;
    const name = event.uint();
    globals.set(event.text(), name);
  });
  wayland.request(1, 1, registry);
  await wayland.sync();
  const kind = 'zwlr_virtual_pointer_manager_v1';
  const manager = wayland.create(() => {});
  wayland.request(registry, 0, globals.get(kind) ?? 0, kind, 1, manager);
  const pointer = wayland.create(() => {});
  // 0: any seat.
  wayland.request(manager, 0, 0, pointer);
  await wayland.sync();
  const time = () => Math.round(performance.now()) >>> 0;
  const frame = async () => {
    wayland.request(pointer, 4);
    await wayland.sync();
  };
  return {
    async moveTo(x, y) {
      wayland.request(pointer, 1, time(), x, y, width, height);
      await frame();
    },
    async click(button) {
      for (const state of [1, 0]) {
        wayland.request(pointer, 2, time(), codes[button], state);
        await frame();
      }
    },
    close: () => wayland.close(),
  };
}
