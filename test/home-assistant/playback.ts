import fs from 'node:fs';
import path from 'node:path';
import type { PrivateSound } from '../real/harness/sound.ts';
import { homeAddress } from './network.ts';
import { expectTrue, secondsUntil } from './report.ts';
import type { Scene } from './scene.ts';

const manifest = {
  domain: 'spoken',
  name: 'Spoken',
  version: '1',
  dependencies: [],
  documentation: '',
  codeowners: [],
};
const voice = `
import io, wave
from homeassistant.components.tts import Provider

class Spoken(Provider):
    """A voice that needs no network: three seconds of a tone for any text."""
    name = "Spoken"
    default_language = "en"
    supported_languages = ["en"]

    def get_tts_audio(self, message, language, options):
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(1)
            sound.setframerate(8000)
            sound.writeframes(bytes(128 + (at // 9 % 2) * 20 for at in range(24000)))
        return "wav", file.getvalue()

async def async_get_engine(hass, config, discovery_info=None):
    return Spoken()
`;

/** Adds to a configuration of Home Assistant a file, and a text-to-speech engine, since its own ones need the network. */
export function addSounds(configuration: string, tone: string): void {
  const served = path.join(configuration, 'www');
  fs.mkdirSync(served);
  fs.copyFileSync(tone, path.join(served, 'tone.wav'));
  const folder = path.join(configuration, 'custom_components', 'spoken');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(folder, '__init__.py'), '');
  fs.writeFileSync(path.join(folder, 'tts.py'), voice);
}

/** A file, a spoken text and the outputs, heard at the sound server of the machine. */
export async function playback(scene: Scene, sound: PrivateSound): Promise<void> {
  const { check, service, stateOf, idOf, home } = scene;
  const streams = () => JSON.parse(sound.pactl('-f', 'json', 'list', 'sink-inputs')) as unknown[];
  const isHeard = async () => streams().length > 0;
  const isSilent = async () => streams().length === 0;
  const player = async () => ({ entity_id: await idOf('media_player') });

  await check('play_media: a file of Home Assistant', async () => {
    const media_content_id = `http://${homeAddress}:${home.port}/local/tone.wav`;
    await service('media_player', 'play_media', { ...(await player()), media_content_id, media_content_type: 'music' });
    const begun = await secondsUntil('a sound', isHeard, 15);
    await service('hostler', 'run', { config_entry_id: await scene.entryId(), action: 'media.stop' });
    await secondsUntil('silence', isSilent, 15);
    return `heard after ${begun}`;
  });
  await check('play_media: what cannot be played is refused with the reason', async () => {
    const media_content_id = `http://${homeAddress}:${home.port}/local/missing.wav`;
    const refusal = await service('media_player', 'play_media', {
      ...(await player()),
      media_content_id,
      media_content_type: 'music',
    }).then(
      () => null,
      (error: Error) => error.message,
    );
    expectTrue(refusal?.includes('404') === true, `it answered ${refusal}`);
    return String(refusal);
  });
  await check('text to speech of Home Assistant', async () => {
    await service('tts', 'spoken_say', { ...(await player()), message: 'The washing machine has finished' });
    const begun = await secondsUntil('a sound', isHeard, 15);
    return `heard after ${begun}, ended after ${await secondsUntil('silence', isSilent, 15)}`;
  });
  await check('speech of the machine', async () => {
    const entity_id = await idOf('say');
    await service('notify', 'send_message', { entity_id, message: 'The washing machine has finished. '.repeat(4) });
    const begun = await secondsUntil('a voice', isHeard, 15);
    await service('hostler', 'run', { config_entry_id: await scene.entryId(), action: 'speech.cancel' });
    return `heard after ${begun}, cancelled after ${await secondsUntil('silence', isSilent, 15)}`;
  });
  await check('outputs: another one, and muted', async () => {
    sound.pactl('load-module', 'module-null-sink', 'sink_name=headphones');
    const outputs = async () => ((await stateOf('media_player'))?.attributes.source_list as string[] | undefined) ?? [];
    await secondsUntil('two outputs', async () => (await outputs()).length > 1, 15);
    const { source_list = [], source } = (await stateOf('media_player'))?.attributes ?? {};
    const other = (source_list as string[]).find((one) => one !== source);
    expectTrue(other !== undefined, `the outputs are ${JSON.stringify(source_list)}`);
    await service('media_player', 'select_source', { ...(await player()), source: other });
    await secondsUntil('the output', async () => (await stateOf('media_player'))?.attributes.source === other, 15);
    await service('media_player', 'volume_mute', { ...(await player()), is_volume_muted: true });
    await secondsUntil('muted', async () => (await stateOf('media_player'))?.attributes.is_volume_muted === true, 15);
    return `${source} to ${other}`;
  });
}
