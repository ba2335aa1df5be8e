import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openWayland, type WaylandEvent } from '@hostler/wayland/connection.ts';
import { createClock } from '../../../src/host/clock.ts';
import { createDescriptorConnect } from '../../../src/host/linux/descriptor-socket.ts';
import { until } from '../../harness/until.ts';

/** Windows that cover all displays of a Wayland session and record the pointer events over them. */
export interface PointerWindows {
  /** Such as `move HEADLESS-1 10 20`, `press 272`, `release 272`, `wheel 0 3`, in window coordinates. */
  events(): string[];
  /** The total scroll distance of all wheel and finger events: across, and down. */
  scrolled(): [x: number, y: number];
  forget(): void;
  close(): void;
}

const fullscreen = 11;

/** `displays`: the required number. */
export async function openPointerWindows(socket: string, displays: number): Promise<PointerWindows> {
  const sockets = createDescriptorConnect({ receives: false });
  const wayland = await openWayland(sockets.connect, createClock(), { socket, timeoutMs: 60_000 });
  const globals = new Map<string, { name: number; version: number }[]>();
  const registry = wayland.create((opcode, event) => {
    if (opcode !== 0) return;
    const [name, kind, version] = [event.uint(), event.text(), event.uint()];
    globals.set(kind, [...(globals.get(kind) ?? []), { name, version }]);
  });
  wayland.request(1, 1, registry);
  await wayland.sync();
  const bind = (kind: string, version: number, handle = (_opcode: number, _event: WaylandEvent) => {}, at = 0) => {
    const found = globals.get(kind)?.[at];
    if (found === undefined) throw new Error(`the compositor lacks ${kind}`);
    const id = wayland.create(handle);
    wayland.request(registry, 0, found.name, kind, Math.min(version, found.version), id);
    return id;
  };
  const received: string[] = [];
  const far: [number, number] = [0, 0];
  const windows = new Map<number, string>();
  const shown = new Set<number>();
  let over = '?';
  const fixed = (event: WaylandEvent) => event.int() / 256;

  const hear = (opcode: number, event: WaylandEvent) => {
    if (opcode === 0) {
      event.uint();
      over = windows.get(event.uint()) ?? '?';
    }
    if (opcode === 2) event.uint();
    if (opcode === 0 || opcode === 2) received.push(`move ${over} ${fixed(event)} ${fixed(event)}`);
    if (opcode === 3) {
      event.uint();
      event.uint();
      const button = event.uint();
      received.push(`${event.uint() === 1 ? 'press' : 'release'} ${button}`);
    }
    if (opcode === 4) {
      event.uint();
      far[event.uint() === 0 ? 1 : 0] += fixed(event);
    }
    if (opcode === 8) received.push(`wheel ${event.uint()} ${event.int()}`);
  };

  const compositor = bind('wl_compositor', 4);
  const shm = bind('wl_shm', 1);
  const shell = bind('xdg_wm_base', 1, (opcode, event) => {
    if (opcode === 0) wayland.request(shell, 3, event.uint());
  });
  let hasPointer = false;
  // It comes and goes with the devices of the seat.
  const seat = bind('wl_seat', 5, (opcode, event) => {
    if (opcode !== 0) return;
    const has = (event.uint() & 1) !== 0;
    if (has && !hasPointer) wayland.request(seat, 0, wayland.create(hear));
    hasPointer = has;
  });

  const bufferOf = (width: number, height: number) => {
    const file = path.join(os.tmpdir(), `hostler-window-${process.pid}-${windows.size}`);
    fs.writeFileSync(file, Buffer.alloc(0));
    fs.truncateSync(file, width * height * 4);
    const descriptor = fs.openSync(file, 'r+');
    fs.unlinkSync(file);
    const pool = wayland.create(() => {});
    sockets.attach(descriptor);
    wayland.request(shm, 0, pool, width * height * 4);
    fs.closeSync(descriptor);
    const buffer = wayland.create(() => {});
    wayland.request(pool, 0, buffer, 0, width, height, width * 4, 1);
    return buffer;
  };

  for (let at = 0; at < (globals.get('wl_output')?.length ?? 0); at += 1) {
    const surface = wayland.create(() => {});
    wayland.request(compositor, 0, surface);
    let size = [0, 0];
    // Displays of compositors that do not send names here are identified by their order.
    windows.set(surface, `#${at}`);
    const output = bind(
      'wl_output',
      4,
      (opcode, event) => {
        if (opcode === 4) windows.set(surface, event.text());
      },
      at,
    );
    const role = wayland.create((opcode, event) => {
      if (opcode !== 0) return;
      wayland.request(role, 4, event.uint());
      // Sway sends its size after it was mapped.
      const isSized = size[0] !== 0;
      const [width = 0, height = 0] = isSized ? size : [64, 64];
      wayland.request(surface, 1, bufferOf(width, height), 0, 0);
      wayland.request(surface, 2, 0, 0, width, height);
      wayland.request(surface, 6);
      if (isSized) shown.add(surface);
    });
    const toplevel = wayland.create((opcode, event) => {
      if (opcode === 0) size = [event.int(), event.int()];
    });
    wayland.request(shell, 2, role, surface);
    wayland.request(role, 1, toplevel);
    wayland.request(toplevel, fullscreen, output);
    wayland.request(surface, 6);
  }
  await until(() => shown.size === displays, `windows on ${displays} displays`);
  await wayland.sync();
  return {
    events: () => [...received],
    scrolled: () => [...far],
    forget: () => void received.splice(0),
    close: () => wayland.close(),
  };
}
