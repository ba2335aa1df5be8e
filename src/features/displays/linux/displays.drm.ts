import type { Displays } from '../displays.schema.ts';
import { unreported } from '../displays.unreported.ts';
import { round } from './displays.server.ts';
import type { DrmConnector } from './drm-connectors.ts';

/** Displays without a session have no position. */
export function fromDrm(connectors: DrmConnector[]): Displays {
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
