import type { ActionEntities } from '../../core/action.ts';
import { switchControl } from '../../core/readings/entities.ts';
import type { SessionSwitch } from './session.contract.ts';

const appearance: Record<SessionSwitch, { name: string; icon: string }> = {
  do_not_disturb: { name: 'Do not disturb switch', icon: 'mdi:minus-circle' },
  night_light: { name: 'Night light switch', icon: 'mdi:weather-night' },
};

export const sessionSwitchEntities = (key: SessionSwitch): ActionEntities => ({
  controls: () => [switchControl({ key, ...appearance[key], module: 'session' })],
});

/** Renewed by switching it on again. */
const switchedOnSeconds = 86_400;

export const keepAwakeEntities: ActionEntities = {
  controls: () => [
    switchControl({ key: 'keep_awake', name: 'Keep awake', icon: 'mdi:coffee', module: 'session' }, (on) => ({
      reason: 'Home Assistant',
      seconds: on ? switchedOnSeconds : 0,
    })),
  ],
};

export const powerProfileEntities: ActionEntities = {
  controls: () => [
    {
      key: 'power_profile',
      component: 'select',
      name: 'Power profile choice',
      icon: 'mdi:speedometer',
      module: 'session',
      toInput: (profile) => ({ profile }),
    },
  ],
};
