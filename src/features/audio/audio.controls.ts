import type { ActionEntities } from '../../core/action.ts';
import { type Control, switchControl, volumeControl } from '../../core/readings/entities.ts';

const mute = (key: string, name: string, kind: 'sink' | 'source', icon: string) =>
  switchControl({ key, name, module: 'audio', icon }, (value) => ({ action: 'MUTE', value, kind }));

const choice = (key: string, name: string, kind: 'sink' | 'source', icon: string): Control => ({
  key,
  component: 'select',
  name,
  module: 'audio',
  icon,
  toInput: (device) => ({ action: 'DEFAULT', device, kind }),
});

export const audioControlEntities: ActionEntities = {
  controls: () => [
    volumeControl('volume', 'Volume', 'audio'),
    mute('mute', 'Mute', 'sink', 'mdi:volume-off'),
    mute('microphone_mute', 'Mute microphone', 'source', 'mdi:microphone-off'),
    choice('output', 'Audio output', 'sink', 'mdi:speaker'),
    choice('input', 'Audio input', 'source', 'mdi:microphone'),
  ],
};
