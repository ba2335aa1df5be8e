import { partOf } from '../../core/part.ts';
import { type ActiveDisplay, activeDisplays, isPrimaryDisplay } from '../../host/windows/active-displays.ts';
import { whyNoInputDesktop } from '../../host/windows/desktop-access.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { showNoticeWindows } from '../../host/windows/show-notice.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import { encodePicture, type PixelFormat, refuseOversized } from './pictures/pictures.ts';
import { explainFailure, noSuchDisplay, type ScreenPicture, type ScreenRequest } from './pictures/screen-request.ts';
import type { ScreenCamera } from './screen.contract.ts';
import { screenLibrary, type WindowsScreen } from './windows/gdi-screen.ts';
import type { ScreenArea } from './windows/screen-copy.ts';

export const screenWindows = (host: WindowsHost): ScreenCamera => ({
  unavailable: () => whyNoScreenPictureWindows(host),
  take: (wanted) => takeScreenPictureWindows(host, wanted),
  notify: (title, text) => showNoticeWindows(host, title, text, { mustBeSeen: true }),
});

type ScreenParts = Pick<Native, 'user32'> & { screen: WindowsScreen };

const partsOf = async (host: WindowsHost): Promise<ScreenParts> => ({
  user32: (await host.native()).user32,
  screen: await host.native(screenLibrary),
});

/** Blue in the lowest byte; the highest is unused. */
const format: PixelFormat = { bytes: 4, bits: 8, red: 16, green: 8, blue: 0 };

/** The visible content of that area, including what covers a window. Every failure is a ServiceError. */
const takeScreenPictureWindows = (host: WindowsHost, request: ScreenRequest): Promise<ScreenPicture> =>
  explainFailure(async () => {
    const parts = await partsOf(host);
    const why = await whyNoScreenPictureWindows(host);
    if (why !== null) throw new ServiceError('unsupported', why);
    const { display, area } = wanted(parts, request);
    const { width, height } = area;
    refuseOversized(width, height);
    const memory = await host.nativeElsewhere(screenLibrary).copy(area);
    const raw = { memory, width, height, stride: width * 4, format, transform: 0, upsideDown: false };
    return { ...(await (await partOf(host, encodePicture))(raw, request)), display };
  });

/** null: the screen is visible. */
async function whyNoScreenPictureWindows(host: WindowsHost): Promise<string | null> {
  const why = await whyNoInputDesktop(host);
  if (why !== null) return why;
  return (await host.native()).user32.displayConfig() === null
    ? 'No desktop is shown, for example in a disconnected session, so there is no screen to take a picture of'
    : null;
}

function wanted({ screen, user32 }: ScreenParts, request: ScreenRequest): { display: string | null; area: ScreenArea } {
  if (request.activeWindow) {
    const area = screen.frontArea();
    if (area === null) throw new ServiceError('not_found', 'No window is in front, or it is not on the screen');
    return { display: null, area };
  }
  const displays = activeDisplays(user32) ?? [];
  const found =
    request.display === null
      ? (displays.find(isPrimaryDisplay) ?? displays[0])
      : displays.find(({ id }) => id === request.display);
  if (found === undefined) {
    const known = displays.map(({ id }) => id);
    if (request.display !== null) throw noSuchDisplay(request.display, known);
    throw new ServiceError('not_found', 'No display is switched on');
  }
  return { display: found.id, area: areaOf(found, screen) };
}

/** Its area on the desktop, as rotated. */
function areaOf({ id, area }: ActiveDisplay, screen: ScreenParts['screen']): ScreenArea {
  const seen = area && screen.displayArea(area);
  if (seen === null) throw new ServiceError('not_found', `${id} is not on the screen`);
  return seen;
}
