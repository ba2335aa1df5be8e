import { defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { refuseWhilePaused } from '../../core/control-pause.ts';
import { defineFeature } from '../../core/feature.ts';
import { withoutPrompt } from '../../core/input-guard.ts';
import { type PerPlatform, requireFor, unavailableFor } from '../../core/platform.ts';
import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { screenUse } from './screen.agent.ts';
import { createCaptures } from './screen.capture-queue.ts';
import { screenCommands } from './screen.commands.ts';
import type { ScreenCamera, TakenPicture, WantedPicture } from './screen.contract.ts';
import type { ScreenCapture } from './screen.schema.ts';

const cameras: PerPlatform<ScreenCamera> = {
  linux: async () => (await import('./screen.linux.ts')).screenLinux,
  windows: async () => (await import('./screen.windows.ts')).screenWindows,
};
const name = 'screen.capture';
/** It changes nothing, but a pause of control is meant to stop pictures too. */
const pausing = { effect: 'read', duringPause: false } as const;
const schemas = () => import('./screen.schema.ts');

export const screenCapture = defineAction({
  name,
  description:
    'Takes a picture of a display, or of the window in front, where that was allowed on the machine itself; notifies the user at the screen',
  input: async () => (await schemas()).screenCaptureInputSchema,
  output: async () => (await schemas()).screenCaptureOutputSchema,
  scopes: ['screen'],
  ...pausing,
  example: { max_width: 1280 },
  wire: { event: 'SCREEN_CAPTURE', reply: 'SCREEN_CAPTURED' },
  agent: screenUse,
  entities: async () => (await import('./screen.controls.ts')).screenEntities,
  picture: {
    types: ['image/png', 'image/webp'],
    typeOf: ({ format }) => `image/${format}`,
    base64: ({ picture }) => picture,
  },
  unavailable: async ({ host, settings }) => whyNotAllowed(settings()) ?? (await unavailableFor(host, cameras, name)),
  async run({ display, window, format, max_width }, { host, keep, caller, settings, signal, controlPause, prompts }) {
    refuseNotAllowed(settings());
    const camera = await requireFor(host, cameras, name);
    const captures = keep(createCaptures);
    const wait = captures.rate.refuse(shareIdOf(caller));
    if (wait !== null)
      throw new ServiceError('rate_limited', 'Too many pictures of the screen: two a second at most', {
        retryAfterSeconds: wait,
      });
    const wanted: WantedPicture = {
      display: display ?? null,
      activeWindow: window === 'active',
      format: format ?? 'png',
      maxWidth: max_width ?? null,
      mostBytes: (await schemas()).mostPictureBytes,
    };
    // What allows it may change while it is queued or taken.
    const requireAllowed = () => {
      refuseNotAllowed(settings());
      refuseWhilePaused(controlPause, pausing);
    };
    const what = wanted.activeWindow ? 'the window in front' : (wanted.display ?? 'the primary display');
    try {
      const taken = await captures.queue.run(
        JSON.stringify(wanted),
        { tokenId: shareIdOf(caller), signal },
        async (left) => {
          requireAllowed();
          return await captures.prompts.during(shareIdOf(caller), () =>
            withoutPrompt(prompts, () => camera.take(wanted, left)),
          );
        },
      );
      signal.throwIfAborted();
      requireAllowed();
      captures.note(caller, taken.display ?? what);
      captures.notify(camera, caller);
      return { message: '', data: answerOf(taken) };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'rate_limited')
        captures.noteFailure(caller, what, error instanceof ServiceError ? error.message : 'failed');
      throw error;
    }
  },
});

function answerOf({ format, display, bytes, width, height }: TakenPicture): ScreenCapture {
  const picture = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  return { format, display, width, height, size: bytes.length, picture };
}

const whyNotAllowed = ({ screen }: Settings): string | null =>
  screen.allowed
    ? null
    : `Pictures of the screen are not allowed on this machine. Its owner can allow them there with "${ownCommand('settings set screen.allowed true')}"`;

function refuseNotAllowed(settings: Settings): void {
  const reason = whyNotAllowed(settings);
  if (reason !== null) throw new ServiceError('forbidden', reason);
}

export const screenFeature = defineFeature({
  name: 'screen',
  title: 'Screenshots',
  actions: [screenCapture],
  scopes: {
    screen: {
      description:
        'see what is on the screen: the window in front and its title, and pictures where screen.allowed was set on the machine',
      label: 'see the screen',
      after: 'pointer',
      gravity: 65,
      mqtt: false,
    },
  },
  settings: {
    screen: {
      schema: async () => (await import('./screen.settings.schema.ts')).screenSettingsSchema,
      defaults: { allowed: false, askForAgents: true },
      after: 'session',
      // Access to pictures has to be granted on the machine itself.
      ownerOnly: ['allowed', 'askForAgents'],
    },
  },
  commands: screenCommands,
  threads: { 'screen.picture': async () => (await import('./pictures/picture.thread.ts')).encodeInThread },
  libraries: { screen: async () => (await import('./windows/gdi-screen.ts')).screenLibrary },
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    screen: true;
  }
}
