import type { Files } from '../../../host/linux/files.ts';

const databases = ['/usr/share/misc/pci.ids', '/usr/share/hwdata/pci.ids', '/usr/share/pci.ids'];

/** Vendor and name of a device in the PCI id database; null: not installed, or an unknown vendor. */
export function pciName(files: Files, vendor: string, device: string): string | null {
  for (const database of databases) {
    const text = files.text(database);
    const name = text === null ? null : parsePciName(text, vendor, device);
    if (name !== null) return name;
  }
  return null;
}

/** Lines are `vendor  name`, below them with a tab `device  name`. https://pci-ids.ucw.cz */
export function parsePciName(text: string, vendor: string, device: string): string | null {
  const found = entry(text, `\n${vendor}  `, 0, text.length);
  if (found === null) return null;
  const model = entry(text, `\n\t${device}  `, found.end, endOfVendor(text, found.end));
  return model === null ? `${found.name} ${device}` : `${found.name} ${model.name}`;
}

function entry(text: string, start: string, from: number, to: number): { name: string; end: number } | null {
  const at = text.indexOf(start, from);
  if (at < 0 || at >= to) return null;
  const next = text.indexOf('\n', at + 1);
  const end = next < 0 ? text.length : next;
  return { name: text.slice(at + start.length, end).trim(), end };
}

/** The next line that is neither a device of this vendor nor a comment. */
function endOfVendor(text: string, from: number): number {
  for (let at = text.indexOf('\n', from); at >= 0; at = text.indexOf('\n', at + 1)) {
    const first = text[at + 1];
    if (first !== '\t' && first !== '#' && first !== '\n') return at;
  }
  return text.length;
}
