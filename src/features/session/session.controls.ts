import type { ActionEntities } from '../../core/action.ts';
import { switchSent } from '../../core/readings/entities.ts';
import type { SessionSwitch } from './session.contract.ts';

const appearance: Record<SessionSwitch, { name: string; icon: string }> = {
  do_not_disturb: { name: 'Do not disturb switch', icon: 'mdi:minus-circle' },
  night_light: { name: 'Night light switch', icon: 'mdi:weather-night' },
};

export const sessionSwitchEntities = (key: SessionSwitch): ActionEntities => ({
  controls: () => [
    {
      key,
      component: 'switch',
      ...appearance[key],
      module: 'session',
      toInput(sent) {
        const on = switchSent(sent);
        return on === null ? null : { on };
      },
    },
  ],
});
