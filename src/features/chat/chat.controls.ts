import type { ActionEntities } from '../../core/action.ts';
import { switchControl } from '../../core/readings/entities.ts';
import type { ChatAction } from './chat.schema.ts';

const toggle = (key: string, name: string, on: ChatAction, off: ChatAction, icon: string) =>
  switchControl({ key, name, module: 'chat', icon }, (isOn) => ({ action: isOn ? on : off }));

export const chatControlEntities: ActionEntities = {
  controls: () => [
    toggle('chat_mute', 'Mute in the call', 'MUTE', 'UNMUTE', 'mdi:microphone-off'),
    toggle('chat_deafen', 'Deafen', 'DEAFEN', 'UNDEAFEN', 'mdi:headphones-off'),
  ],
};
