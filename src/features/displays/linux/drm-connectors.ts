import type { Files } from '../../../host/linux/files.ts';
import { type Edid, parseEdid } from './edid.ts';

/** A connector of a graphics card with a display, as the kernel reports it. https://docs.kernel.org/gpu/drm-kms.html */
export interface DrmConnector {
  /** As compositors call it, such as DP-1. */
  name: string;
  edid: Edid | null;
  /** The preferred mode; null: unknown. The kernel does not report the current one. */
  mode: { width: number; height: number } | null;
  /** null: unknown. */
  power: 'on' | 'off' | null;
}

const directory = '/sys/class/drm';

/** Connectors with an enabled display, or all connected ones if none is enabled. null: no graphics card. */
export function drmConnectors(files: Files): DrmConnector[] | null {
  const entries = files.list(directory);
  if (!entries.some((entry) => /^card\d+$/.test(entry))) return null;
  const text = (entry: string, file: string) => files.text(`${directory}/${entry}/${file}`)?.trim();
  const connected = entries.filter((entry) => /^card\d+-/.test(entry) && text(entry, 'status') === 'connected');
  const enabled = connected.filter((entry) => text(entry, 'enabled') === 'enabled');
  return (enabled.length > 0 ? enabled : connected).map((entry) => ({
    name: entry.replace(/^card\d+-/, ''),
    edid: parseEdid(files.bytes(`${directory}/${entry}/edid`) ?? new Uint8Array()),
    mode: parseMode(text(entry, 'modes') ?? ''),
    power: parsePower(text(entry, 'dpms')),
  }));
}

/** `On`, `Standby`, `Suspend`, `Off`. */
function parsePower(dpms: string | undefined): DrmConnector['power'] {
  if (dpms === undefined || dpms === '') return null;
  return dpms === 'On' ? 'on' : 'off';
}

function parseMode(modes: string): DrmConnector['mode'] {
  const [, width, height] = /^(\d+)x(\d+)/.exec(modes) ?? [];
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) };
}
