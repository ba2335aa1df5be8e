import * as lucide from 'lucide';

/** Names on the page, and their names in the library. */
const used = {
  overview: 'Gauge',
  processes: 'ListTree',
  services: 'Cog',
  network: 'Network',
  disk: 'HardDrive',
  temperature: 'Thermometer',
  graphics: 'Gpu',
  timeline: 'ChartNoAxesGantt',
  music: 'Music',
  mixer: 'SlidersVertical',
  display: 'Monitor',
  folder: 'Folder',
  keyboard: 'Keyboard',
  chat: 'MessageCircle',
  power: 'Power',
  terminal: 'SquareTerminal',
  key: 'KeyRound',
  plug: 'Plug',
  settings: 'Settings',
  braces: 'Braces',
  search: 'Search',
  light: 'Sun',
  dark: 'Moon',
  contrast: 'Contrast',
  automatic: 'SunMoon',
  signOut: 'LogOut',
  close: 'X',
  pin: 'Pin',
  more: 'Ellipsis',
  down: 'ChevronDown',
  right: 'ChevronRight',
  choose: 'ChevronsUpDown',
  received: 'ArrowDown',
  sent: 'ArrowUp',
  play: 'Play',
  pause: 'Pause',
  stop: 'Square',
  previous: 'SkipBack',
  next: 'SkipForward',
  rewind: 'Rewind',
  forward: 'FastForward',
  shuffle: 'Shuffle',
  repeat: 'Repeat',
  repeatOne: 'Repeat1',
  mute: 'VolumeX',
  quieter: 'Volume1',
  louder: 'Volume2',
  add: 'Plus',
  info: 'Info',
  warning: 'TriangleAlert',
  memory: 'MemoryStick',
  processor: 'Cpu',
  battery: 'BatteryMedium',
  charging: 'BatteryCharging',
  fan: 'Fan',
  wifi: 'Wifi',
  bluetooth: 'Bluetooth',
  cable: 'EthernetPort',
  lock: 'Lock',
  restart: 'RotateCcw',
  machine: 'Server',
  camera: 'Camera',
  microphone: 'Mic',
  user: 'User',
  agent: 'Bot',
  remove: 'Trash',
  hibernate: 'Snowflake',
  bell: 'Bell',
  list: 'List',
  clock: 'Clock',
  energy: 'Zap',
  container: 'Container',
  update: 'Package',
  custom: 'Activity',
  load: 'Timer',
  safe: 'ShieldCheck',
} as const;

type Shape = [tag: string, attributes: Record<string, string | number | undefined>];

/** web/components/icon-shapes.generated.ts: only the used icons out of some 1,700, to keep browsers and installations small. */
export function iconsSource(): string {
  const known = lucide as unknown as Record<string, Shape[]>;
  const lines = Object.entries(used).map(([name, theirs]) => {
    const shapes = known[theirs];
    if (shapes === undefined) throw new Error(`lucide has no icon named ${theirs}`);
    return `  ${name}: ${JSON.stringify(shapes.map(([tag, attributes]) => [tag, withoutKey(attributes)]))},`;
  });
  return [
    '/**',
    ' * Icons of Lucide (https://lucide.dev), 24 by 24, stroked. Written by "npm run generate" from scripts/icons.ts; do not edit.',
    ' *',
    ' * ISC License. Copyright (c) 2026 Lucide Icons and Contributors. Some are derived from Feather, MIT License,',
    ' * Copyright (c) 2013-present Cole Bemis. Permission to use, copy, modify, and/or distribute this software for any purpose with or',
    ' * without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.',
    ' */',
    'export const iconShapes = {',
    ...lines,
    '} satisfies Record<string, [tag: string, attributes: Record<string, string>][]>;',
    '',
  ].join('\n');
}

const withoutKey = ({ key: _key, ...attributes }: Record<string, string | number | undefined>) =>
  Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
