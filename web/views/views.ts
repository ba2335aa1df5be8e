import type { ComponentType } from 'preact';
import type { ModuleName } from '../../src/client/client.ts';
import { Overview } from './overview.tsx';

/** One page of the dashboard. Everything but the first one, which most visits begin with, is loaded when it is opened. */
export interface View {
  path: string;
  title: string;
  /** Shown as unavailable, with the reason, when this module is. */
  module?: ModuleName;
  /** What is there already. */
  content?: ComponentType;
  load(): Promise<ComponentType>;
}

export const views: readonly View[] = [
  { path: '/', title: 'Overview', content: Overview, load: async () => Overview },
  {
    path: '/processes',
    title: 'Processes',
    module: 'processes',
    load: async () => (await import('./processes.tsx')).Processes,
  },
  { path: '/network', title: 'Network', module: 'networks', load: async () => (await import('./network.tsx')).Network },
  { path: '/disks', title: 'Disks', module: 'disks', load: async () => (await import('./disks.tsx')).Disks },
  { path: '/sensors', title: 'Sensors', module: 'sensors', load: async () => (await import('./sensors.tsx')).Sensors },
  { path: '/media', title: 'Media', module: 'media', load: async () => (await import('./media.tsx')).Media },
  { path: '/chat', title: 'Chat', module: 'chat', load: async () => (await import('./chat.tsx')).Chat },
  { path: '/files', title: 'Files', load: async () => (await import('./files.tsx')).Files },
  { path: '/commands', title: 'Commands', load: async () => (await import('./commands.tsx')).Commands },
  { path: '/control', title: 'Control', load: async () => (await import('./control.tsx')).Control },
  { path: '/power', title: 'Power', load: async () => (await import('./power.tsx')).Power },
  { path: '/settings', title: 'Settings', load: async () => (await import('./settings.tsx')).Settings },
  { path: '/tokens', title: 'Tokens', load: async () => (await import('./tokens.tsx')).Tokens },
  { path: '/interfaces', title: 'API', load: async () => (await import('./api.tsx')).Api },
];

export function viewAt(path: string): View | undefined {
  const [, first = ''] = path.split('/');
  return views.find((view) => view.path === `/${first}`);
}
