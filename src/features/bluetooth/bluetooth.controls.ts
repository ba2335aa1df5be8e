import type { ActionEntities } from '../../core/action.ts';
import { switchSent } from '../../core/readings/entities.ts';

export const bluetoothPowerEntities: ActionEntities = {
  controls: () => [
    {
      key: 'bluetooth_power',
      component: 'switch',
      name: 'Bluetooth',
      module: 'bluetooth',
      icon: 'mdi:bluetooth',
      toInput(sent) {
        const on = switchSent(sent);
        return on === null ? null : { on };
      },
    },
  ],
};
