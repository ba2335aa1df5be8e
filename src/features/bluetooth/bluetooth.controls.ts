import type { ActionEntities } from '../../core/action.ts';
import { switchControl } from '../../core/readings/entities.ts';

export const bluetoothPowerEntities: ActionEntities = {
  controls: () => [
    switchControl({ key: 'bluetooth_power', name: 'Bluetooth', module: 'bluetooth', icon: 'mdi:bluetooth' }),
  ],
};
