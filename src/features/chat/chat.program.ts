import { Argument, type Command, Option } from 'commander';
import { createContext, sayAsJson } from '../../cli/context.ts';
import type { ChatAction } from './chat.schema.ts';

type Field = 'channel_id' | 'user_id' | 'device_id' | 'mode' | 'value';

/** Words of the command line, in the order in which they are typed. */
const orders: Record<ChatAction, { does: string; takes?: Field[] }> = {
  JOIN_VOICE_CHANNEL: { does: 'join a voice channel, leaving another one', takes: ['channel_id'] },
  LEAVE_VOICE_CHANNEL: { does: 'leave the call' },
  OPEN_TEXT_CHANNEL: { does: 'show a text channel', takes: ['channel_id'] },
  MUTE: { does: 'mute the microphone' },
  UNMUTE: { does: 'unmute the microphone' },
  TOGGLE_MUTE: { does: 'mute or unmute' },
  DEAFEN: { does: 'deafen: turn off sound and microphone' },
  UNDEAFEN: { does: 'turn sound and microphone back on' },
  TOGGLE_DEAFEN: { does: 'deafen or undeafen' },
  SET_INPUT_VOLUME: { does: 'set the volume of the microphone, 0-100', takes: ['value'] },
  SET_OUTPUT_VOLUME: { does: 'set the output volume, 0-200', takes: ['value'] },
  SET_INPUT_DEVICE: { does: 'choose the microphone', takes: ['device_id'] },
  SET_OUTPUT_DEVICE: { does: 'choose the output device', takes: ['device_id'] },
  SET_VOICE_MODE: { does: 'choose VOICE_ACTIVITY or PUSH_TO_TALK', takes: ['mode'] },
  SET_VOICE_THRESHOLD: { does: 'set the voice-activity threshold, -100 to 0 dB', takes: ['value'] },
  SET_PUSH_TO_TALK_DELAY: { does: 'set the release delay, 0-2000 ms', takes: ['value'] },
  ENABLE_QOS: { does: 'give voice packets priority' },
  DISABLE_QOS: { does: 'stop giving voice packets priority' },
  TOGGLE_QOS: { does: 'toggle the priority of voice packets' },
  ENABLE_SILENCE_WARNING: { does: 'warn about a silent microphone' },
  DISABLE_SILENCE_WARNING: { does: 'stop warning about a silent microphone' },
  TOGGLE_SILENCE_WARNING: { does: 'toggle the warning about a silent microphone' },
  SET_USER_VOLUME: { does: 'set the volume of another user, 0-200', takes: ['user_id', 'value'] },
  MUTE_USER: { does: 'mute another user for yourself', takes: ['user_id'] },
  UNMUTE_USER: { does: 'unmute another user', takes: ['user_id'] },
};

/** `TOGGLE_MUTE` → `hostler chat toggle-mute`; beside them what belongs to the set-up. */
export function addChatCommands(program: Command): void {
  const json = () => new Option('--json', 'print JSON instead of a sentence');
  const chat = program.command('chat').description('set up and control the voice-chat application');
  chat
    .command('setup')
    .description('set up the voice chat: asks for the client id and secret, or reads them from a pipe, one per line')
    .option('--client-id <id>', 'the client id, so that only the secret is asked for')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => {
      const { setUpChat } = await import('./chat.cli.ts');
      await sayAsJson(await createContext(), options, (context) => setUpChat(context, options));
    });
  chat
    .command('status')
    .description('show whether it is set up, permitted and connected')
    .addOption(json())
    .action(async (options) => (await import('./chat.cli.ts')).printChatStatus(await createContext(), options));
  chat
    .command('forget')
    .description('remove the setup and the permission')
    .addOption(new Option('--json', 'print JSON instead of sentences'))
    .action(async (options) => sayAsJson(await createContext(), options, (await import('./chat.cli.ts')).forgetChat));
  for (const [action, { does, takes = [] }] of Object.entries(orders)) {
    const command = chat.command(action.toLowerCase().replaceAll('_', '-')).description(does).addOption(json());
    for (const field of takes) command.addArgument(new Argument(`<${field}>`));
    command.action(async (...given: unknown[]) => {
      const words = given.slice(0, takes.length).map(String);
      const fields = Object.fromEntries(takes.map((field, index) => [field, words[index] ?? '']));
      await (await import('./chat.cli.ts')).controlChat(await createContext(), { action, ...fields }, command.opts());
    });
  }
}
