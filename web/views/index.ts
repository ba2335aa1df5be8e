import type { ModuleName } from '@hostler/client/client.ts';
import type { ComponentType } from 'preact';
import type { IconName } from '../components/icon.tsx';
import type { Scope } from '../state/scopes.ts';
import { Overview } from './overview/overview.tsx';

/** One page of the dashboard. Everything but the first one, which most visits begin with, is loaded when it is opened. */
export interface View {
  path: string;
  title: string;
  icon: IconName;
  /** Other names, for the search. */
  words?: string;
  /** The module it shows. */
  module?: ModuleName;
  /**
   * The view is folded away where the machine has none of it: the module reports a reason as a whole, or for all of these fields.
   * Without it the view always stays.
   */
  fields?: readonly string[];
  /** The same for a view of actions: none of these events is available. */
  events?: readonly string[];
  /** Scopes that make the view useful; one is enough. */
  scopes: readonly Scope[];
  /** Has charts, so that a range can be chosen. */
  ranged?: boolean;
  /** The component, if it is loaded already. */
  content?: ComponentType;
  load(): Promise<ComponentType>;
}

export interface ViewGroup {
  title: string;
  views: readonly View[];
}

const read: readonly Scope[] = ['read'];

export const viewGroups: readonly ViewGroup[] = [
  {
    title: 'Machine',
    views: [
      {
        path: '/',
        title: 'Overview',
        icon: 'overview',
        scopes: read,
        ranged: true,
        content: Overview,
        load: async () => Overview,
      },
      {
        path: '/processes',
        title: 'Processes',
        icon: 'processes',
        words: 'programs tasks pid',
        module: 'processes',
        scopes: read,
        load: async () => (await import('./processes/processes.tsx')).Processes,
      },
      {
        path: '/load',
        title: 'Load',
        icon: 'load',
        words: 'why slow overloaded busy pressure waiting usual',
        scopes: read,
        ranged: true,
        load: async () => (await import('./load/load.tsx')).Load,
      },
      {
        path: '/services',
        title: 'Services',
        icon: 'services',
        words: 'systemd units daemons failed start stop restart logs',
        module: 'services',
        fields: [],
        scopes: read,
        load: async () => (await import('./services/services.tsx')).Services,
      },
      {
        path: '/containers',
        title: 'Containers',
        icon: 'container',
        words: 'docker podman compose images',
        module: 'containers',
        fields: ['engines'],
        scopes: read,
        load: async () => (await import('./containers/containers.tsx')).Containers,
      },
      {
        path: '/network',
        title: 'Network',
        icon: 'network',
        words: 'interfaces connections wifi ports addresses',
        module: 'networks',
        scopes: read,
        ranged: true,
        load: async () => (await import('./networks/networks.tsx')).Network,
      },
      {
        path: '/disks',
        title: 'Disks',
        icon: 'disk',
        words: 'storage drives partitions mounts space what filled the disk full',
        module: 'disks',
        scopes: read,
        ranged: true,
        load: async () => (await import('./disks/disks.tsx')).Disks,
      },
      {
        path: '/sensors',
        title: 'Sensors',
        icon: 'temperature',
        words: 'temperatures fans',
        module: 'sensors',
        fields: ['temperatures', 'fans'],
        scopes: read,
        ranged: true,
        load: async () => (await import('./sensors.tsx')).Sensors,
      },
      {
        path: '/graphics',
        title: 'Graphics',
        icon: 'graphics',
        words: 'gpu video card',
        module: 'gpus',
        fields: [],
        scopes: read,
        ranged: true,
        load: async () => (await import('./gpus.tsx')).Graphics,
      },
      {
        path: '/custom',
        title: 'Own sensors',
        icon: 'custom',
        words: 'custom values commands files',
        module: 'custom',
        fields: ['sensors'],
        scopes: read,
        ranged: true,
        load: async () => (await import('./custom.tsx')).Custom,
      },
      {
        path: '/updates',
        title: 'Updates',
        icon: 'update',
        words: 'packages upgrades security restart reboot apt pacman flatpak firmware',
        module: 'updates',
        scopes: read,
        load: async () => (await import('./updates.tsx')).Updates,
      },
      {
        path: '/alerts',
        title: 'Alerts',
        icon: 'bell',
        words: 'rules notifications warnings webhooks thresholds',
        module: 'alerts',
        scopes: read,
        load: async () => (await import('./alerts.tsx')).Alerts,
      },
      {
        path: '/timeline',
        title: 'Timeline',
        icon: 'timeline',
        words: 'events history log what happened changed since yesterday packages installed',
        scopes: read,
        ranged: true,
        load: async () => (await import('./history.tsx')).Timeline,
      },
    ],
  },
  {
    title: 'Desktop',
    views: [
      {
        path: '/session',
        title: 'Session',
        icon: 'user',
        words: 'idle locked window do not disturb night light lid power profile',
        module: 'session',
        fields: ['user', 'desktop'],
        scopes: read,
        load: async () => (await import('./session.tsx')).Session,
      },
      {
        path: '/bluetooth',
        title: 'Bluetooth',
        icon: 'bluetooth',
        words: 'headset headphones mouse keyboard phone paired devices connect',
        module: 'bluetooth',
        fields: [],
        scopes: read,
        load: async () => (await import('./bluetooth.tsx')).Bluetooth,
      },
      {
        path: '/media',
        title: 'Media',
        icon: 'music',
        words: 'players music',
        module: 'media',
        fields: [],
        scopes: read,
        load: async () => (await import('./media.tsx')).Media,
      },
      {
        path: '/sound',
        title: 'Sound',
        icon: 'mixer',
        words: 'volume mixer speakers microphone outputs inputs',
        module: 'audio',
        fields: [],
        scopes: read,
        load: async () => (await import('./sound.tsx')).Sound,
      },
      {
        path: '/displays',
        title: 'Displays',
        icon: 'display',
        words: 'monitors screens resolution',
        module: 'displays',
        fields: [],
        scopes: read,
        load: async () => (await import('./displays/displays.tsx')).Displays,
      },
      {
        path: '/files',
        title: 'Files',
        icon: 'folder',
        words: 'directories downloads',
        scopes: ['files'],
        load: async () => (await import('./files/files.tsx')).Files,
      },
      {
        path: '/control',
        title: 'Notify and type',
        icon: 'keyboard',
        words: 'notification open keyboard keys text',
        scopes: ['notify', 'control', 'input'],
        events: ['NOTIFICATION', 'OPEN', 'KEYBOARD_KEYPRESS', 'KEYBOARD_TEXT'],
        load: async () => (await import('./control.tsx')).Control,
      },
      {
        path: '/chat',
        title: 'Chat',
        icon: 'chat',
        words: 'voice call mute',
        module: 'chat',
        fields: [],
        scopes: read,
        load: async () => (await import('./chat.tsx')).Chat,
      },
    ],
  },
  {
    title: 'Control',
    views: [
      {
        path: '/power',
        title: 'Power',
        icon: 'power',
        words: 'shut down restart sleep lock log out',
        scopes: ['power', 'control'],
        events: ['POWER_LOCK', 'POWER_SLEEP', 'POWER_HIBERNATE', 'POWER_LOGOUT', 'POWER_RESTART', 'POWER_SHUTDOWN'],
        load: async () => (await import('./power/power.tsx')).Power,
      },
      {
        path: '/commands',
        title: 'Commands',
        icon: 'terminal',
        words: 'run scripts',
        scopes: ['command'],
        events: ['COMMAND_EXECUTE'],
        load: async () => (await import('./command.tsx')).Commands,
      },
    ],
  },
  {
    title: 'Hostler',
    views: [
      {
        path: '/safety',
        title: 'Safety',
        icon: 'safe',
        words: 'is it safe secure security open ports failed sign-ins updates',
        scopes: read,
        load: async () => (await import('./safety/safety.tsx')).Safety,
      },
      {
        path: '/access',
        title: 'Access',
        icon: 'key',
        words: 'tokens browsers permissions sessions phones pair qr code',
        scopes: ['admin'],
        load: async () => (await import('./tokens/tokens.tsx')).Tokens,
      },
      {
        path: '/connections',
        title: 'Connections',
        icon: 'plug',
        words: 'machines home assistant prometheus agents mcp other hostlers',
        scopes: read,
        load: async () => (await import('./connections/connections.tsx')).Connections,
      },
      {
        path: '/settings',
        title: 'Settings',
        icon: 'settings',
        words: 'configuration options',
        scopes: ['command', 'admin'],
        load: async () => (await import('./settings/settings.tsx')).Settings,
      },
      {
        path: '/interfaces',
        title: 'API',
        icon: 'braces',
        words: 'http websocket routes events documents',
        scopes: read,
        load: async () => (await import('./api/api.tsx')).Api,
      },
    ],
  },
];

export const views: readonly View[] = viewGroups.flatMap((group) => group.views);

export function viewAt(path: string): View | undefined {
  const [, first = ''] = path.split('/');
  return views.find((view) => view.path === `/${first}`);
}
