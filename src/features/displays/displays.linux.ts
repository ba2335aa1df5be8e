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

/** The display server of the session, Wayland or X11; without a session what the kernel sees at its sockets. */
export const displaysLinux: CreateSource<Displays, LinuxHost> = (host, { passing = false }) => {
  const { files, session } = host;
  /** Kept open only while somebody listens. */
  let kept: DisplayServer | null = null;
  let keeping = false;
  /** The last server we knew is gone. */
  let bereft = false;
  /** Why a server that answers is not used. */
  let refused: NonNullable<FoundSession['refused']> = [];
  let changed = () => {};
  const noServer = createAbsence<true>(host.clock, () => keeping);
  const brightness = createBrightness(host);
  const monitors = createMonitorFields(host, passing);
  const kernelConnectors = unlessAbsent(host.clock, () => drmConnectors(files));

  const letGo = () => {
    kept?.close();
    kept = null;
  };

  const open = async () => {
    const noteAbsence = noServer.look();
    const found = kept === null ? await session.find(bereft) : null;
    const server = kept ?? (found === null ? null : await openServer(host, found));
    bereft = false;
    refused = server === null ? (found?.refused ?? []) : [];
    if (server === null) noteAbsence(true);
    if (server === null || !keeping) return server;
    if (kept === null) {
      kept = server;
      server.follow(
        () => changed(),
        () => {
          if (kept === server) kept = null;
          bereft = true;
          changed();
        },
      );
    }
    return server;
  };

  const askServer = async (reasons: Reasons): Promise<Displays> => {
    let server: DisplayServer | null = null;
    try {
      server = await open();
      if (server !== null)
        return await completed(withDrm(await server.read(), drmConnectors(files)), reasons, host.dbus.session);
    } catch (error) {
      letGo();
      bereft = true;
      reasons.missing(null, `The display server of the session could not be queried: ${messageOf(error)}`);
    } finally {
      if (server !== kept) server?.close();
    }
    return askKernel(reasons);
  };

  /** `desktop`: where the one that shows them can be asked. */
  const completed = async (displays: Displays, reasons: Reasons, desktop: Bus | null = null): Promise<Displays> => {
    const { displays: complete, silences } = await monitors.added(brightness.added(displays));
    return explained(desktop === null ? complete : await withSliders(complete, desktop), silences, reasons);
  };

  const askKernel = (reasons: Reasons): Displays | Promise<Displays> => {
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
    read: (reasons) => (noServer.known() === null ? askServer(reasons) : askKernel(reasons)),
    watch(told) {
      changed = told;
      keeping = true;
      const stop = session.watch(() => {
        // Another session may have taken the place of the one that is listened to.
        letGo();
        noServer.forget();
        told();
      });
      const stopBrightness = brightness.watch(told);
      const stopMonitors = monitors.watch(told);
      // One that came before this was not announced.
      noServer.forget();
      return () => {
        keeping = false;
        changed = () => {};
        stop();
        stopBrightness();
        stopMonitors();
        letGo();
      };
    },
    close: letGo,
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

/** What only a monitor itself can tell, unless the kernel lights it. */
const ofMonitors = ['brightness', 'contrast', 'input_source', 'inputs'];

function explained(displays: Displays, silences: readonly Silence[], reasons: Reasons): Displays {
  // Of several, the one that somebody can do something about.
  const silence = silences.find(({ mendable }) => mendable) ?? silences[0];
  const unknown = displays.flatMap((display) => Object.entries(display)).filter(([, value]) => value === null);
  for (const field of new Set(unknown.map(([name]) => name))) {
    if (silence === undefined || !ofMonitors.includes(field)) reasons.inherent(`[].${field}`, why[field] ?? 'Unknown');
    else if (silence.mendable) reasons.missing(`[].${field}`, silence.why);
    else reasons.inherent(`[].${field}`, silence.why);
  }
  return displays;
}
