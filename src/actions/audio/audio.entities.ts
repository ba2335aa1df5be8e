import type { ActionEntities } from '../../core/action.ts';
import { type Control, numberSent, switchSent } from '../../core/entities.ts';

const mute = (key: string, name: string, kind: 'sink' | 'source', icon: string): Control => ({
  key,
  component: 'switch',
  name,
  module: 'audio',
  icon,
  toInput(sent) {
    const value = switchSent(sent);
    return value === null ? null : { action: 'MUTE', value, kind };
  },
});

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
    {
      key: 'volume',
      component: 'number',
      name: 'Volume',
      module: 'audio',
      unit: '%',
      min: 0,
      max: 100,
      step: 1,
      icon: 'mdi:volume-high',
      toInput(sent) {
        const value = numberSent(sent, 0, 100);
        return value === null ? null : { action: 'VOLUME', value };
      },
    },
    mute('mute', 'Mute', 'sink', 'mdi:volume-off'),
    mute('microphone_mute', 'Mute microphone', 'source', 'mdi:microphone-off'),
    choice('output', 'Audio output', 'sink', 'mdi:speaker'),
    choice('input', 'Audio input', 'source', 'mdi:microphone'),
  ],
};
