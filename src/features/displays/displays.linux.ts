import type { Bus } from '@hostler/dbus/dbus.ts';
import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { createServerLink } from '../../host/linux/desktop/server-link.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { createAbsence, unlessAbsent } from '../../lib/absence-cache.ts';
import { capitalised } from '../../lib/capitalised.ts';
import { stopAll } from '../../lib/closing.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Displays } from './displays.schema.ts';
import { unreported } from './displays.unreported.ts';
import { createBrightness, withSliders } from './linux/displays.brightness.ts';
import { createMonitorFields, type Silence } from './linux/displays.monitors.ts';
import { openServer, round } from './linux/displays.server.ts';
import { type DrmConnector, drmConnectors } from './linux/drm-connectors.ts';

/** The displays as the display server (Wayland or X11) lists them; without a session, as the kernel does. */
export const displaysLinux: CreateSource<Displays, LinuxHost> = (host, { passing = false }) => {
  const { files } = host;
  const link = createServerLink(host.session, (found) => openServer(host, found));
  /** Why a server that answers is not used. */
  let refused: readonly string[] = [];
  const noServer = createAbsence<true>(host.clock, link.isFollowed);
  const brightness = createBrightness(host);
  const monitors = createMonitorFields(host, passing);
  const kernelConnectors = unlessAbsent(host.clock, () => drmConnectors(files));

  const readServer = async (reasons: Reasons): Promise<Displays> => {
    const noteAbsence = noServer.look();
    try {
      const found = await link.find();
      const shown = await link.use(found, async (server) => {
        refused = server === null ? (found.refused ?? []) : [];
        if (server === null) return null;
        return await completed(withDrm(await server.read(), drmConnectors(files)), reasons, host.dbus.session);
      });
      if (shown !== null) return shown;
      noteAbsence(true);
    } catch (error) {
      reasons.missing(null, `The display server of the session could not be queried: ${messageOf(error)}`);
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
    watch(changed) {
      const stop = link.watch(() => {
        noServer.forget();
        changed();
      });
      // A server that started before this was not announced.
      noServer.forget();
      return stopAll([stop, brightness.watch(changed), monitors.watch(changed)]);
    },
    close: link.disconnect,
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

/** Displays without a session have no position. */
function fromDrm(connectors: DrmConnector[]): Displays {
  return connectors.map(({ name, edid, mode, power }) => {
    const preferred = edid?.preferred ?? null;
    const shown = mode ?? preferred;
    const isPreferred = preferred !== null && shown?.width === preferred.width && shown.height === preferred.height;
    return {
      id: name,
      name: edid?.name ?? name,
      resolution_horizontal: shown?.width ?? 0,
      resolution_vertical: shown?.height ?? 0,
      x: 0,
      y: 0,
      width: edid?.mmWidth ?? null,
      height: edid?.mmHeight ?? null,
      is_primary: connectors.length === 1 ? true : null,
      pixel_clock: isPreferred ? round(preferred.pixelClock) : null,
      refresh_rate: isPreferred ? round(preferred.refresh) : null,
      ...unreported,
      power,
    };
  });
}

/** Fills in what a display server does not report: the size, and the pixel clock of the preferred mode. */
export function withDrm(displays: Displays, connectors: DrmConnector[] | null): Displays {
  const known = new Map((connectors ?? []).map((connector) => [connector.name, connector]));
  return displays.map((shown) => {
    const { edid = null, power = null } = known.get(shown.id) ?? {};
    const display = { ...shown, power: shown.power ?? power };
    if (edid === null) return display;
    const { preferred } = edid;
    const isPreferred =
      preferred !== null &&
      preferred.width === display.resolution_horizontal &&
      preferred.height === display.resolution_vertical &&
      Math.abs(preferred.refresh - (display.refresh_rate ?? 0)) < 0.5;
    return {
      ...display,
      width: display.width ?? edid.mmWidth,
      height: display.height ?? edid.mmHeight,
      pixel_clock: display.pixel_clock ?? (isPreferred ? round(preferred.pixelClock) : null),
    };
  });
}
