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

/** Renewed by switching it on again. */
const switchedOnSeconds = 86_400;

export const keepAwakeEntities: ActionEntities = {
  controls: () => [
    {
      key: 'keep_awake',
      component: 'switch',
      name: 'Keep awake',
      icon: 'mdi:coffee',
      module: 'session',
      toInput(sent) {
        const on = switchSent(sent);
        return on === null ? null : { reason: 'Home Assistant', seconds: on ? switchedOnSeconds : 0 };
      },
    },
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
