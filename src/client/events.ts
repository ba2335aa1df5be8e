import type { z } from 'zod';
import type { AudioControlInput, AudioControlOutput } from '../actions/audio/audio.schema.ts';
import type { ChatControlInput, ChatControlOutput } from '../actions/chat/chat.schema.ts';
import type { CommandInput, CommandOutput } from '../actions/command/command.schema.ts';
import type { DiskMounts } from '../actions/disks/disks.schema.ts';
import type {
  DirectoryInput,
  directoriesSchema,
  directorySchema,
  Entry,
  FileInfo,
  FileInput,
  ListInput,
  ValidateInput,
  validSchema,
} from '../actions/files/files.schema.ts';
import type {
  KeyboardTextInput,
  KeyboardTextOutput,
  KeypressInput,
  KeypressOutput,
} from '../actions/keyboard/keyboard.schema.ts';
import type { MediaControlInput, MediaControlOutput } from '../actions/media/media.schema.ts';
import type {
  NotificationCloseInput,
  NotificationCloseOutput,
  NotificationInput,
  NotificationOutput,
} from '../actions/notification/notification.schema.ts';
import type { OpenInput, OpenOutput } from '../actions/open/open.schema.ts';
import type { PowerInput, PowerOutput } from '../actions/power/power.schema.ts';
import type { Audio } from '../modules/audio/audio.schema.ts';
import type { Battery } from '../modules/battery/battery.schema.ts';
import type { Chat } from '../modules/chat/chat.schema.ts';
import type { Cpu } from '../modules/cpu/cpu.schema.ts';
import type { Disks } from '../modules/disks/disks.schema.ts';
import type { Displays } from '../modules/displays/displays.schema.ts';
import type { Gpus } from '../modules/gpus/gpus.schema.ts';
import type { Media } from '../modules/media/media.schema.ts';
import type { Memory } from '../modules/memory/memory.schema.ts';
import type { Networks } from '../modules/networks/networks.schema.ts';
import type { processesSchema } from '../modules/processes/processes.schema.ts';
import type { Sensors } from '../modules/sensors/sensors.schema.ts';
import type { System } from '../modules/system/system.schema.ts';
import type { Settings } from '../settings/settings.schema.ts';

/** What each module says. */
export interface ModulePayloads {
  audio: Audio;
  battery: Battery;
  chat: Chat;
  cpu: Cpu;
  disks: Disks;
  displays: Displays;
  gpus: Gpus;
  media: Media;
  memory: Memory;
  networks: Networks;
  processes: z.infer<typeof processesSchema>;
  sensors: Sensors;
  system: System;
}

export type ModuleName = keyof ModulePayloads;

/** A message of the service. */
export interface Told {
  id: string;
  type: string;
  subtype: string;
  data: unknown;
  message?: string;
  module?: string;
}

export interface Reply<R> {
  data: R;
  /** Empty where the service says nothing. */
  message: string;
}

interface Exchange<D, R> {
  data: D;
  result: R;
}

/** Objects merge, lists replace, and what is left out stays as it is. */
export type SettingsPatch = Patch<Settings>;

type Patch<T> = T extends readonly unknown[] ? T : T extends object ? { [K in keyof T]?: Patch<T[K]> } : T;

/** What each event takes, and what its answer holds. */
export interface Requests {
  GET_DIRECTORIES: Exchange<object, z.infer<typeof directoriesSchema>>;
  GET_DIRECTORY: Exchange<DirectoryInput, z.infer<typeof directorySchema>>;
  GET_FILES: Exchange<ListInput, Entry[]>;
  GET_FILE: Exchange<FileInput, FileInfo>;
  VALIDATE_DIRECTORY: Exchange<ValidateInput, z.infer<typeof validSchema>>;
  GET_DISK_MOUNTS: Exchange<object, DiskMounts>;
  GET_SETTINGS: Exchange<object, Settings>;
  UPDATE_SETTINGS: Exchange<SettingsPatch, Settings>;
  /** Its output comes as COMMAND_OUTPUT while it runs, where `stream` asks for that. Give it more time than the usual limit. */
  COMMAND_EXECUTE: Exchange<CommandInput, CommandOutput>;
  MEDIA_CONTROL: Exchange<MediaControlInput, MediaControlOutput>;
  AUDIO_CONTROL: Exchange<AudioControlInput, AudioControlOutput>;
  /** A pressed button comes as NOTIFICATION_ACTION, any time later. */
  NOTIFICATION: Exchange<NotificationInput, NotificationOutput>;
  NOTIFICATION_CLOSE: Exchange<NotificationCloseInput, NotificationCloseOutput>;
  OPEN: Exchange<OpenInput, OpenOutput>;
  KEYBOARD_KEYPRESS: Exchange<KeypressInput, KeypressOutput>;
  KEYBOARD_TEXT: Exchange<KeyboardTextInput, KeyboardTextOutput>;
  POWER_SLEEP: Exchange<PowerInput, PowerOutput>;
  POWER_HIBERNATE: Exchange<PowerInput, PowerOutput>;
  POWER_RESTART: Exchange<PowerInput, PowerOutput>;
  POWER_SHUTDOWN: Exchange<PowerInput, PowerOutput>;
  POWER_LOCK: Exchange<PowerInput, PowerOutput>;
  POWER_LOGOUT: Exchange<PowerInput, PowerOutput>;
  POWER_CANCEL: Exchange<object, PowerOutput>;
  CHAT_CONTROL: Exchange<ChatControlInput, ChatControlOutput>;
  EXIT_APPLICATION: Exchange<object, null>;
}

export type EventName = keyof Requests;

type DataEvent = 'GET_DATA' | 'REGISTER_DATA_LISTENER' | 'UNREGISTER_DATA_LISTENER';

/** Type of the message that is the answer; everything else under the same id is told besides. */
export const replies: Record<EventName | DataEvent, string> & Partial<Record<string, string>> = {
  GET_DATA: 'DATA_GET',
  REGISTER_DATA_LISTENER: 'DATA_LISTENER_REGISTERED',
  UNREGISTER_DATA_LISTENER: 'DATA_LISTENER_UNREGISTERED',
  GET_DIRECTORIES: 'DIRECTORIES',
  GET_DIRECTORY: 'DIRECTORY',
  GET_FILES: 'FILES',
  GET_FILE: 'FILE',
  VALIDATE_DIRECTORY: 'DIRECTORY_VALIDATED',
  GET_DISK_MOUNTS: 'DISK_MOUNTS',
  GET_SETTINGS: 'SETTINGS_RESULT',
  UPDATE_SETTINGS: 'SETTINGS_UPDATED',
  COMMAND_EXECUTE: 'COMMAND_COMPLETED',
  MEDIA_CONTROL: 'MEDIA_CONTROLLED',
  AUDIO_CONTROL: 'AUDIO_CONTROLLED',
  NOTIFICATION: 'NOTIFICATION_SENT',
  NOTIFICATION_CLOSE: 'NOTIFICATION_CLOSED',
  OPEN: 'OPENED',
  KEYBOARD_KEYPRESS: 'KEYBOARD_KEY_PRESSED',
  KEYBOARD_TEXT: 'KEYBOARD_TEXT_SENT',
  POWER_SLEEP: 'POWER_SLEEPING',
  POWER_HIBERNATE: 'POWER_HIBERNATING',
  POWER_RESTART: 'POWER_RESTARTING',
  POWER_SHUTDOWN: 'POWER_SHUTTINGDOWN',
  POWER_LOCK: 'POWER_LOCKING',
  POWER_LOGOUT: 'POWER_LOGGINGOUT',
  POWER_CANCEL: 'POWER_CANCELLED',
  CHAT_CONTROL: 'CHAT_CONTROLLED',
  DISCORD_CONTROL: 'DISCORD_CONTROLLED',
  EXIT_APPLICATION: 'APPLICATION_EXITING',
};
