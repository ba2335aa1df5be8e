import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ModulePayloads } from '../../src/client/client.ts';
import { attempt } from '../parts/announce.tsx';
import { Card } from '../parts/card.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Order } from '../parts/order.tsx';
import { Reasons } from '../parts/reasons.tsx';
import { obstacle } from '../state/actions.ts';
import { request, useModule } from '../state/live.ts';
import { clockTime } from '../units.ts';

type MediaState = ModulePayloads['media'];

export function Media() {
  const media = useModule('media');
  if (media === null) return <Reasons module="media" />;
  const [current] = media.players;
  return (
    <div class="cards">
      <Card title={current?.identity ?? 'No player'} wide>
        {current === undefined ? (
          <>
            <p class="quiet">Nothing plays. The buttons below act on the volume of the machine.</p>
            <Reasons module="media" />
          </>
        ) : (
          <NowPlaying media={media} />
        )}
        <Controls media={media} />
      </Card>
      {media.players.length > 1 ? (
        <Card title="All players">
          <ul class="pairs">
            {media.players.map(({ name, identity, status, title }) => (
              <li key={name}>
                <span>
                  {identity}: {title ?? 'nothing'} ({status?.toLowerCase() ?? 'unknown'})
                </span>
                <Order
                  event="MEDIA_CONTROL"
                  data={{ action: 'PLAY_PAUSE', player: name }}
                  label={`Play or pause ${identity}`}
                >
                  <Icon name="playPause" />
                </Order>
              </li>
            ))}
          </ul>
        </Card>
      ) : null}
    </div>
  );
}

function NowPlaying({ media }: { media: MediaState }) {
  const { title, artist, album_title, thumbnail, duration } = media;
  const position = usePosition(media);
  return (
    <div class="playing">
      {thumbnail?.startsWith('data:') ? <img src={thumbnail} alt="" class="artwork" /> : <div class="artwork" />}
      <div>
        <p class="title">{title ?? 'Untitled'}</p>
        <p class="quiet">{[artist, album_title].filter(Boolean).join(' · ')}</p>
        {duration === null ? null : (
          <label class="seek">
            <span class="spoken">Position</span>
            <input
              type="range"
              min={0}
              max={Math.max(1, Math.floor(duration))}
              value={Math.floor(position ?? 0)}
              aria-valuetext={`${clockTime(position ?? 0)} of ${clockTime(duration)}`}
              disabled={obstacle('MEDIA_CONTROL') !== null}
              onChange={({ currentTarget: { valueAsNumber: value } }) =>
                attempt(() => request('MEDIA_CONTROL', { action: 'POSITION', value }))
              }
            />
            <span class="quiet">
              {clockTime(position ?? 0)} / {clockTime(duration)}
            </span>
          </label>
        )}
      </div>
    </div>
  );
}

/** Where it is now: computed from where it was, as a player does. */
function usePosition({ position, status, playback_rate, updated_at, duration }: MediaState): number | null {
  const now = useSignal(Date.now());
  useEffect(() => {
    if (status !== 'PLAYING') return;
    const timer = setInterval(() => {
      now.value = Date.now();
    }, 500);
    return () => clearInterval(timer);
  }, [status]);
  if (position === null) return null;
  const passed = status === 'PLAYING' ? (now.value / 1000 - (updated_at ?? 0)) * (playback_rate ?? 1) : 0;
  return Math.min(duration ?? Number.POSITIVE_INFINITY, position + Math.max(0, passed));
}

function Controls({ media }: { media: MediaState }) {
  const control = (action: string, label: string, sign: IconName, enabled: boolean | null = true, value?: unknown) => (
    <Order event="MEDIA_CONTROL" data={{ action, value }} label={label} disabled={enabled === false}>
      <Icon name={sign} />
    </Order>
  );
  const hasPlayer = media.players.length > 0;
  const playing = media.status === 'PLAYING';
  return (
    <div class="buttons">
      {hasPlayer ? (
        <>
          {control('PREVIOUS', 'Previous', 'previous', media.is_previous_enabled)}
          {control('REWIND', 'Back', 'rewind', media.is_rewind_enabled)}
          {playing
            ? control('PAUSE', 'Pause', 'pause', media.is_pause_enabled)
            : control('PLAY', 'Play', 'play', media.is_play_enabled)}
          {control('STOP', 'Stop', 'stop', media.is_stop_enabled)}
          {control('FASTFORWARD', 'Forward', 'forward', media.is_fast_forward_enabled)}
          {control('NEXT', 'Next', 'next', media.is_next_enabled)}
          <Order
            event="MEDIA_CONTROL"
            data={{ action: 'SHUFFLE', value: media.shuffle !== true }}
            label="Shuffle"
            pressed={media.shuffle === true}
            disabled={media.shuffle === null}
          >
            <Icon name="shuffle" />
          </Order>
          <Order
            event="MEDIA_CONTROL"
            data={{ action: 'REPEAT', value: ({ NONE: 2, LIST: 1, TRACK: 0 } as const)[media.repeat ?? 'NONE'] }}
            label={`Repeat: ${media.repeat?.toLowerCase() ?? 'unknown'}`}
            pressed={media.repeat !== null && media.repeat !== 'NONE'}
            disabled={media.repeat === null}
          >
            <Icon name={media.repeat === 'TRACK' ? 'repeatOne' : 'repeat'} />
          </Order>
        </>
      ) : null}
      {control('MUTE', 'Mute', 'mute')}
      {control('VOLUME_DOWN', 'Quieter', 'quieter')}
      {control('VOLUME_UP', 'Louder', 'louder')}
      {media.volume === null ? null : (
        <label class="volume">
          Volume
          <input
            type="range"
            min={0}
            max={100}
            value={media.volume}
            disabled={obstacle('MEDIA_CONTROL') !== null}
            onChange={({ currentTarget: { valueAsNumber: value } }) =>
              attempt(() => request('MEDIA_CONTROL', { action: 'VOLUME', value }))
            }
          />
        </label>
      )}
    </div>
  );
}
