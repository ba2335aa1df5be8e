import type { ModulePayloads } from '@hostler/client/client.ts';
import { Order } from '../components/action-button.tsx';
import { Card } from '../components/card.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Nothing, Reasons } from '../components/reasons.tsx';
import { Slider } from '../components/slider.tsx';
import { Link } from '../shell/route.tsx';
import { obstacle } from '../state/availability.ts';
import { useMachineTime } from '../state/clock.ts';
import { clockTime } from '../units.ts';

type MediaState = ModulePayloads['media'];

export function Media({ data: media }: { data: ModulePayloads['media'] }) {
  const [current] = media.players;
  const reason = obstacle('MEDIA_CONTROL');
  if (current === undefined && reason !== null) return <Nothing module="media" icon="music" fields={['title']} />;
  return (
    <div class="cards">
      <Card title={current?.identity ?? 'No player'} icon="music" wide>
        {current === undefined ? <Reasons module="media" fields={['title']} /> : <NowPlaying media={media} />}
        {current === undefined ? (
          <p class="quiet">Nothing is playing. These buttons control the system sound.</p>
        ) : null}
        {reason === null ? null : <p class="notice">{reason}</p>}
        <Controls media={media} />
      </Card>
      {media.players.length > 1 ? (
        <Card title="All players" icon="list" wide>
          <ul class="players">
            {media.players.map(({ name, identity, is_current, status, title, artist, thumbnail }) => (
              <li key={name}>
                <Picture of={is_current ? media.thumbnail : (thumbnail ?? null)} />
                <div>
                  <p class="title">{title ?? 'Nothing'}</p>
                  <p class="quiet">{[artist, identity, states[status ?? 'STOPPED']].filter(Boolean).join(' · ')}</p>
                </div>
                <Order
                  event="MEDIA_CONTROL"
                  data={{ action: 'PLAY_PAUSE', player: name }}
                  label={`Play or pause ${identity}`}
                  class="plain"
                >
                  <Icon name={status === 'PLAYING' ? 'pause' : 'play'} />
                </Order>
              </li>
            ))}
          </ul>
        </Card>
      ) : null}
      <p class="onward wide">
        <Link to="/sound">Volume of outputs, inputs and programs</Link>
      </p>
    </div>
  );
}

const states = { PLAYING: 'playing', PAUSED: 'paused', STOPPED: 'stopped', CHANGING: 'changing' };

/** Pictures from other hosts are not fetched: that would reveal this page to the author of the title. */
function Picture({ of }: { of: string | null }) {
  return of?.startsWith('data:image/') ? (
    <img src={of} alt="" class="artwork" />
  ) : (
    <div class="artwork">
      <Icon name="music" />
    </div>
  );
}

function NowPlaying({ media }: { media: MediaState }) {
  const { title, artist, album_title, subtitle, thumbnail, duration } = media;
  const position = usePosition(media);
  return (
    <div class="playing">
      <Picture of={thumbnail} />
      <div>
        <p class="title">{title ?? 'Untitled'}</p>
        <p class="quiet">{[subtitle, artist, album_title].filter(Boolean).join(' · ')}</p>
        {duration === null || position === null ? null : (
          <Slider
            label="Position"
            spoken
            value={Math.floor(position)}
            max={Math.max(1, Math.floor(duration))}
            text={(at) => `${clockTime(at)} of ${clockTime(duration)}`}
            event="MEDIA_CONTROL"
            data={(value) => ({ action: 'POSITION', value })}
          />
        )}
      </div>
    </div>
  );
}

/** Where it is now: computed from where it was, as a player does. */
function usePosition({ position, status, playback_rate, updated_at, duration }: MediaState): number | null {
  const now = useMachineTime(status === 'PLAYING' ? 500 : null);
  if (position === null) return null;
  const passed = status === 'PLAYING' && updated_at !== null ? (now - updated_at) * (playback_rate ?? 1) : 0;
  return Math.min(duration ?? Number.POSITIVE_INFINITY, position + Math.max(0, passed));
}

function Controls({ media }: { media: MediaState }) {
  const control = (
    action: string,
    label: string,
    sign: IconName,
    enabled: boolean | null = true,
    toggle: { value?: unknown; pressed?: boolean } = {},
  ) => (
    <Order
      event="MEDIA_CONTROL"
      data={{ action, value: toggle.value }}
      label={label}
      disabled={enabled === false}
      class={action === 'PLAY' || action === 'PAUSE' ? '' : 'plain'}
      {...(toggle.pressed === undefined ? {} : { pressed: toggle.pressed })}
    >
      <Icon name={sign} />
    </Order>
  );
  const hasPlayer = media.players.length > 0;
  const playing = media.status === 'PLAYING';
  const repeat = media.repeat ?? 'unknown';
  const repeatIcon = repeat === 'TRACK' ? 'repeatOne' : 'repeat';
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
          {control('SHUFFLE', 'Shuffle', 'shuffle', media.shuffle !== null, {
            value: media.shuffle !== true,
            pressed: media.shuffle === true,
          })}
          {control('REPEAT', `Repeat: ${repeat.toLowerCase()}`, repeatIcon, media.repeat !== null, {
            value: { NONE: 2, LIST: 1, TRACK: 0, unknown: 2 }[repeat],
            pressed: repeat === 'LIST' || repeat === 'TRACK',
          })}
        </>
      ) : null}
      {control('MUTE', 'Mute', 'mute')}
      {control('VOLUME_DOWN', 'Quieter', 'quieter')}
      {control('VOLUME_UP', 'Louder', 'louder')}
      {media.volume === null ? null : (
        <Slider
          label="Volume"
          value={media.volume}
          max={100}
          event="MEDIA_CONTROL"
          data={(value) => ({ action: 'VOLUME', value })}
        />
      )}
    </div>
  );
}
