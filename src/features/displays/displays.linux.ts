import type { Bus } from '@hostler/dbus/dbus.ts';
import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { createAbsence, unlessAbsent } from '../../lib/absence-cache.ts';
import { capitalised } from '../../lib/capitalised.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Displays } from './displays.schema.ts';
import { createBrightness, withSliders } from './linux/displays.brightness.ts';
import { fromDrm, withDrm } from './linux/displays.drm.ts';
import { createMonitorFields, type Silence } from './linux/displays.monitors.ts';
import { type DisplayServer, openServer } from './linux/displays.server.ts';
import { drmConnectors } from './linux/drm-connectors.ts';

/** The displays as the display server (Wayland or X11) lists them; without a session, as the kernel does. */
export const displaysLinux: CreateSource<Displays, LinuxHost> = (host, { passing = false }) => {
  const { files, session } = host;
  /** The connection stays open only while there are listeners. */
  let connected: DisplayServer | null = null;
  let following = false;
  let isLost = false;
  /** Why a server that answers is not used. */
  let refused: NonNullable<FoundSession['refused']> = [];
  let changed = () => {};
  const noServer = createAbsence<true>(host.clock, () => following);
  const brightness = createBrightness(host);
  const monitors = createMonitorFields(host, passing);
  const kernelConnectors = unlessAbsent(host.clock, () => drmConnectors(files));

  const disconnect = () => {
    connected?.close();
    connected = null;
  };

  const open = async () => {
    const noteAbsence = noServer.look();
    const found = connected === null ? await session.find(isLost) : null;
    const server = connected ?? (found === null ? null : await openServer(host, found));
    isLost = false;
    refused = server === null ? (found?.refused ?? []) : [];
    if (server === null) noteAbsence(true);
    if (server === null || !following) return server;
    if (connected === null) {
      connected = server;
      server.follow(
        () => changed(),
        () => {
          if (connected === server) connected = null;
          isLost = true;
          changed();
        },
      );
    }
    return server;
  };

  const readServer = async (reasons: Reasons): Promise<Displays> => {
    let server: DisplayServer | null = null;
    try {
      server = await open();
      if (server !== null)
        return await completed(withDrm(await server.read(), drmConnectors(files)), reasons, host.dbus.session);
    } catch (error) {
      disconnect();
      isLost = true;
      reasons.missing(null, `The display server of the session could not be queried: ${messageOf(error)}`);
    } finally {
      if (server !== connected) server?.close();
    }
    return readKernel(reasons);
  };

  /** `desktop`: the session bus; null: no desktop is running. */
  const completed = async (displays: Displays, reasons: Reasons, desktop: Bus | null = null): Promise<Displays> => {
    const { displays: complete, silences } = await monitors.added(brightness.added(displays));
    return explained(desktop === null ? complete : await withSliders(complete, desktop), silences, reasons);
  };

  const readKernel = (reasons: Reasons): Displays | Promise<Displays> => {
    const connectors = kernelConnectors();
    if (refused.length > 0) reasons.missing(null, capitalised(refused.join('; ')));
    else if (connectors === null)
      reasons.inherent(null, 'No desktop session is running, and the kernel reports no display');
    else if (connectors.length === 0)
      reasons.inherent(null, 'No desktop session is running, and no display is connected');
    if (connectors === null || connectors.length === 0) return [];
    return completed(fromDrm(connectors), reasons);
  };

  return {
    read: (reasons) => (noServer.known() === null ? readServer(reasons) : readKernel(reasons)),
    watch(listener) {
      changed = listener;
      following = true;
      const stop = session.watch(() => {
        // Another session may have replaced the one that is followed.
        disconnect();
        noServer.forget();
        listener();
      });
      const stopBrightness = brightness.watch(listener);
      const stopMonitors = monitors.watch(listener);
      // A server that started before this was not announced.
      noServer.forget();
      return () => {
        following = false;
        changed = () => {};
        stop();
        stopBrightness();
        stopMonitors();
        disconnect();
      };
    },
    close: disconnect,
  };
};

const builtIn = 'Only external monitors report it, over DDC/CI';

const why: Partial<Record<string, string>> = {
  width: 'The display does not report its size',
  height: 'The display does not report its size',
  is_primary: 'This desktop has no primary display',
  pixel_clock: 'The display server does not report it',
  refresh_rate: 'The display server does not report it',
  brightness: 'The kernel has no backlight for this display, and it does not report its brightness itself',
  contrast: builtIn,
  input_source: builtIn,
  inputs: builtIn,
  power: 'Neither the desktop nor the kernel reports it',
};

/** Fields that only the monitor reports, unless the kernel has a backlight for it. */
const ofMonitors = ['brightness', 'contrast', 'input_source', 'inputs'];

function explained(displays: Displays, silences: readonly Silence[], reasons: Reasons): Displays {
  // Of several reasons, one that the user can fix.
  const silence = silences.find(({ mendable }) => mendable) ?? silences[0];
  const unknown = displays.flatMap((display) => Object.entries(display)).filter(([, value]) => value === null);
  for (const field of new Set(unknown.map(([name]) => name))) {
    if (silence === undefined || !ofMonitors.includes(field)) reasons.inherent(`[].${field}`, why[field] ?? 'Unknown');
    else if (silence.mendable) reasons.missing(`[].${field}`, silence.why);
    else reasons.inherent(`[].${field}`, silence.why);
  }
  return displays;
}
