import { type ActionContext, type ActionParts, defineAction } from '../../core/action.ts';
import { lookInBases } from '../../core/files/bases.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { hasScope } from '../../core/require-scope.ts';
import { sleep } from '../../lib/clock.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { SoundControl, SoundPlayer, Voice } from './media.contract.ts';
import { kindOfFile } from './media-names.ts';
import type { EndSoundOutput, PlayInput, PlayOutput, SayInput, SayOutput } from './play.schema.ts';
import { addressToPlay, requireOutput } from './play.target.ts';
import { createSoundJobs, type SoundJobs } from './sound-jobs.ts';

const schemas = () => import('./play.schema.ts');
const speech: PerPlatform<SoundControl<Voice>> = {
  linux: async () => (await import('./linux/speech.ts')).speechLinux,
};
const players: PerPlatform<SoundControl<SoundPlayer>> = {
  linux: async () => (await import('./linux/play.ts')).playLinux,
};

/** One kind of each, since a machine has one user. */
const speechJobs = (parts: ActionParts): SoundJobs => createSoundJobs(parts, 'Speech');
const playJobs = (parts: ActionParts): SoundJobs => createSoundJobs(parts, 'Playback');

/** A program that cannot do it fails within this time, and the caller learns why. */
const failsWithinMs = 700;

async function hasBegun(done: Promise<void>, { host }: Pick<ActionContext, 'host'>): Promise<void> {
  await Promise.race([done, sleep(host.clock, failsWithinMs)]);
  // Later errors are in the log.
  done.catch(() => {});
}

const say = defineAction<SayInput, SayOutput>({
  name: 'speech.say',
  description: 'Says a text aloud, after those that wait',
  input: async () => (await schemas()).sayInputSchema,
  output: async () => (await schemas()).sayOutputSchema,
  scopes: ['media'],
  effect: 'disrupt',
  example: { text: 'The washing machine has finished' },
  unlogged: ['text'],
  wire: { event: 'SPEECH_SAY', reply: 'SPEECH_SAYING' },
  entities: async () => (await import('./media.controls.ts')).speechEntities,
  unavailable: ({ host }) => unavailableFor(host, speech, 'speech.say'),
  async run(input, context) {
    const voice = await (await requireFor(context.host, speech, 'speech.say')).find();
    const { ahead, done } = context.keep(speechJobs).add((signal) => voice.say(input, signal), context);
    await hasBegun(done, context);
    const message =
      ahead === 0 ? `${voice.by} is speaking` : `It is spoken after ${ahead} other text${ahead === 1 ? '' : 's'}`;
    return { message, data: { by: voice.by, ahead } };
  },
});

const play = defineAction<PlayInput, PlayOutput>({
  name: 'media.play',
  description: 'Plays a sound from an address or a known directory, in place of what it plays already',
  input: async () => (await schemas()).playInputSchema,
  output: async () => (await schemas()).playOutputSchema,
  scopes: ['media'],
  effect: 'disrupt',
  example: { url: 'https://example.org/bell.mp3', volume: 60 },
  wire: { event: 'MEDIA_PLAY', reply: 'MEDIA_PLAYING' },
  unavailable: ({ host }) => unavailableFor(host, players, 'media.play'),
  async run({ url, path, volume, output }, context) {
    const { host, keep } = context;
    const target = url ? addressToPlay(url) : await fileToPlay(context, path || neither());
    if (output) await requireOutput(context, output);
    const player = await (await requireFor(host, players, 'media.play')).find();
    const jobs = keep(playJobs);
    jobs.end();
    const order = { target, isFile: !url, volume: volume ?? 100, output: output ?? null };
    await hasBegun(jobs.add((signal) => player.play(order, signal), context).done, { host });
    return { message: `${player.by} is playing`, data: { by: player.by } };
  },
});

function neither(): never {
  throw new ServiceError('invalid', 'media.play: both url and path are missing; send one of them');
}

/** With the scope media alone, answers must not reveal which other files exist, as those of notifications. */
async function fileToPlay({ host, settings, caller }: ActionContext, file: string): Promise<string> {
  const mayLearnOfFiles = hasScope(caller, 'files', 'control');
  if (!mayLearnOfFiles && kindOfFile(file) === null)
    throw new ServiceError(
      'forbidden',
      'Without the scope "files" only names of sounds and videos are played, such as bell.mp3',
    );
  const found = await lookInBases(host, settings(), file).catch((error) => {
    throw mayLearnOfFiles ? error : notThere();
  });
  if (found.kind === 'file') return found.realPath;
  if (!mayLearnOfFiles) throw notThere();
  throw new ServiceError('invalid', 'Only a file can be played, not a directory, a pipe or a device');
}

const notThere = () => new ServiceError('not_found', 'There is no such file to play');

const endAction = (name: 'speech.cancel' | 'media.stop', words: { description: string; reply: string; what: string }) =>
  defineAction<object, EndSoundOutput>({
    name,
    description: words.description,
    input: async () => (await schemas()).endSoundInputSchema,
    output: async () => (await schemas()).endSoundOutputSchema,
    scopes: ['media'],
    effect: 'write',
    duringPause: true,
    example: {},
    wire: { event: name.toUpperCase().replace('.', '_'), reply: words.reply },
    unavailable: async () => null,
    async run(_input, { keep }) {
      const ended = keep(name === 'media.stop' ? playJobs : speechJobs).end();
      return { message: ended === 0 ? `${words.what} was not active` : `${words.what} was ended`, data: { ended } };
    },
  });

export const playActions = [
  say,
  endAction('speech.cancel', {
    description: 'Ends the speech, with all texts that wait',
    reply: 'SPEECH_CANCELLED',
    what: 'Speech',
  }),
  play,
  endAction('media.stop', {
    description: 'Ends the playback of a sound',
    reply: 'MEDIA_STOPPED',
    what: 'Playback',
  }),
] as const;
