import type { Files } from '../../../host/linux/files.ts';

export interface MonitorPlace {
  /** As the kernel calls it, such as HDMI-A-1. */
  connector: string;
  /** The first block of the EDID identifies the monitor. */
  edid: Uint8Array;
  /** Numbers of the buses that may lead to it: /dev/i2c-N. */
  buses: readonly number[];
  /** The kernel names the bus; otherwise it is the one with the same EDID. */
  isSure: boolean;
  /** It is off to save power, and may not answer. */
  isOff: boolean;
}

const directory = '/sys/class/drm';
const adapters = '/sys/bus/i2c/devices';
const edidBytes = 128;
const mostPlaces = 16;
const mostBuses = 16;

/** Built-in panels have a backlight; the other excluded kinds have no DDC/CI. */
const isExternal = (connector: string) => !/^(eDP|LVDS|DSI|Virtual|Writeback|DPI|SPI|USB|Unknown)/i.test(connector);

/** The connected external monitors. Causes no query. */
export function findMonitors(files: Files): MonitorPlace[] {
  const entries = files.list(directory).filter((entry) => /^card\d+-[\w.-]{1,64}$/.test(entry));
  const text = (entry: string, file: string) => files.text(`${directory}/${entry}/${file}`)?.trim();
  return entries
    .filter((entry) => isExternal(connectorOf(entry)) && text(entry, 'status') === 'connected')
    .slice(0, mostPlaces)
    .flatMap((entry) => {
      const edid = files.bytes(`${directory}/${entry}/edid`);
      if (edid === null || edid.length < edidBytes) return [];
      const known = busesOf(files, entry);
      return [
        {
          connector: connectorOf(entry),
          edid: Uint8Array.from(edid.subarray(0, edidBytes)),
          buses: known.length > 0 ? known : busesOfCard(files, entry),
          isSure: known.length > 0,
          isOff: (text(entry, 'dpms') ?? 'On') !== 'On',
        },
      ];
    });
}

const connectorOf = (entry: string) => entry.replace(/^card\d+-/, '');
const numberOf = (name: string) => Number(/^i2c-(\d{1,4})$/.exec(name)?.[1] ?? Number.NaN);

/** The link `ddc`, or with DisplayPort the bus of the auxiliary channel. */
function busesOf(files: Files, entry: string): number[] {
  const linked = (files.link(`${directory}/${entry}/ddc`) ?? '').split('/').at(-1) ?? '';
  const inside = files.entries(`${directory}/${entry}`);
  const channels = inside.filter((name) => /^drm_dp_aux\d+$/.test(name));
  const beside = channels.flatMap((name) => files.entries(`${directory}/${entry}/${name}`));
  const found = [...inside, ...beside, linked].map(numberOf).filter((number) => !Number.isNaN(number));
  return [...new Set(found)].slice(0, 1);
}

/** For drivers that do not name the bus: those of the same graphics card, and no other bus of the machine. */
function busesOfCard(files: Files, entry: string): number[] {
  const card = deviceIn(files.link(`${directory}/${entry}`));
  if (card === null) return [];
  const same = files.list(adapters).filter((name) => deviceIn(files.link(`${adapters}/${name}`)) === card);
  return same
    .map(numberOf)
    .filter((number) => !Number.isNaN(number))
    .slice(0, mostBuses);
}

/** The last PCI address in the path. */
const deviceIn = (link: string | null) => link?.match(/[\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.\d/g)?.at(-1) ?? null;

/** The monitor of a display, as the display server calls it. */
export function monitorOf<T extends Pick<MonitorPlace, 'connector'>>(places: readonly T[], display: string): T | null {
  // Drivers of X11 leave out the A of HDMI.
  const other = display.replace(/^HDMI-(\d)/, 'HDMI-A-$1');
  return places.find(({ connector }) => connector === display || connector === other) ?? null;
}
