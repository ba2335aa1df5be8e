import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BusError, variant } from '@hostler/dbus/dbus.ts';
import { partOf } from '../../../core/part.ts';
import { askPortal, hasAnyPortal, portalProperty } from '../../../host/linux/desktop/portal.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { ServiceError, UserRefused } from '../../../lib/errors.ts';
import { encodePicture } from '../pictures/pictures.ts';
import type { ScreenPicture, ScreenRequest } from '../pictures/screen-request.ts';

const part = 'Screenshot';
/** The portal may prompt the user, who has this long. */
const promptTimeoutMs = 60_000;
const mostFileBytes = 128 * 1024 * 1024;
/** Clocks of file systems are coarse. */
const earlyMs = 5000;

const missing =
  'This compositor does not let programs copy the screen (it offers neither ext-image-copy-capture-v1 nor wlr-screencopy, as sway and others based on wlroots do), and the desktop has no portal for screenshots either: install xdg-desktop-portal with the part for this desktop, such as xdg-desktop-portal-gnome or xdg-desktop-portal-kde';

/** Plasma 5 does not prompt, but reports a refusal if it cannot save the picture. */
const refused =
  'The desktop reports that its user did not allow the picture. KDE also reports this if it cannot save one: the folder for pictures of the user (xdg-user-dir PICTURES) has to exist';

/** null: available, as far as is known without starting it. */
export async function whyNoPortal({ dbus }: Pick<LinuxHost, 'dbus'>): Promise<string | null> {
  return (await hasAnyPortal(dbus.session)) ? null : missing;
}

/**
 * GNOME, KDE and others, which may prompt the user. The portal writes a file, which is read and removed immediately.
 * https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.Screenshot.html
 */
export async function takeByPortal(
  host: LinuxHost,
  request: ScreenRequest,
  signal?: AbortSignal,
): Promise<ScreenPicture> {
  const { dbus, clock, environment } = host;
  // The bus starts a portal that does not run: the desktops that get here have one that starts quickly.
  if ((await portalProperty(dbus.session, part, 'version', true)) === null)
    throw new ServiceError('unsupported', missing);
  if (request.display !== null || request.activeWindow)
    throw new ServiceError(
      'unsupported',
      'This desktop only provides pictures of all its displays together, through its portal; leave out display and window',
    );
  const started = clock.now();
  const options = { modal: variant('b', false), interactive: variant('b', false) };
  const body = ['', options];
  const { outcome, results } = await askPortal(dbus.session, {
    part,
    member: part,
    signature: 'sa{sv}',
    body,
    timeoutMs: promptTimeoutMs,
    withdraw: true,
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    throw error instanceof BusError ? new Error(`the desktop portal refused: ${error.message}`) : error;
  });
  if (outcome === 'asking' || outcome === 'cancelled') {
    const cause = new UserRefused(outcome);
    if (outcome === 'cancelled') throw new ServiceError('forbidden', refused, { cause });
    if (signal?.aborted) throw new ServiceError('failed', 'The client has disconnected', { cause });
    throw new ServiceError('failed', 'The user did not answer the permission prompt for the picture within a minute', {
      cause,
    });
  }
  if (outcome !== 'done' || typeof results.uri !== 'string')
    throw new Error('the desktop portal took no picture and gave no reason');
  const png = await takeFile(results.uri, environment.uid, started - earlyMs);
  return { ...(await (await partOf(host, encodePicture))({ png }, request)), display: null };
}

/** Accepts only a PNG that was just written for this user: a message on the bus must not remove another file. */
async function takeFile(uri: string, uid: number | null, since: number): Promise<Uint8Array> {
  const file = fileOf(uri);
  const handle = await fs.promises.open(
    file,
    fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
  );
  try {
    const facts = await handle.stat();
    const { size, mtimeMs, uid: owner, ino } = facts;
    if (!facts.isFile() || owner !== uid || mtimeMs < since)
      throw new Error('the desktop portal named a file that is not its picture');
    if (size > mostFileBytes) throw new Error('the desktop portal wrote a file that is too large for a picture');
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at);
      if (bytesRead === 0) throw new Error('the picture of the portal ends too early');
      at += bytesRead;
    }
    if (Buffer.from(bytes.subarray(0, 8)).toString('latin1') !== '\x89PNG\r\n\x1a\n')
      throw new Error('the desktop portal named a file that is not its picture');
    if ((await fs.promises.lstat(file)).ino === ino) await fs.promises.unlink(file);
    return bytes;
  } finally {
    await handle.close();
  }
}

function fileOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch (cause) {
    throw new Error('the desktop portal named no file', { cause });
  }
}
