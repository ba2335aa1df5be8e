import type { ModulePayloads } from '@hostler/client/client.ts';
import type { ComponentChildren } from 'preact';
import { Order } from '../components/action-button.tsx';
import { Card } from '../components/card.tsx';
import { Nothing } from '../components/reasons.tsx';
import { Slider } from '../components/slider.tsx';

type AudioState = ModulePayloads['audio'];
type Device = AudioState['sinks'][number];
type Stream = AudioState['streams'][number];

/** The mixer: outputs, inputs, and what programs play and record. */
export function Sound({ data: audio }: { data: ModulePayloads['audio'] }) {
  if (audio.server === null) return <Nothing module="audio" icon="mixer" fields={['server']} />;
  const inputs = audio.sources.filter(({ monitor_of }) => monitor_of === null);
  return (
    <div class="cards">
      <Devices title="Outputs" kind="sink" devices={audio.sinks} none="No outputs." />
      <Devices title="Inputs" kind="source" devices={inputs} none="No inputs." />
      <Card title="Programs" icon="music">
        {audio.streams.length === 0 ? <p class="quiet">No program is playing or recording.</p> : null}
        {audio.streams.map((stream) => (
          <StreamLine key={`${stream.kind} ${stream.id}`} stream={stream} />
        ))}
      </Card>
    </div>
  );
}

interface DevicesProps {
  title: string;
  kind: 'sink' | 'source';
  devices: readonly Device[];
  none: string;
}

function Devices({ title, kind, devices, none }: DevicesProps) {
  return (
    <Card title={title} icon={kind === 'sink' ? 'louder' : 'microphone'}>
      {devices.length === 0 ? <p class="quiet">{none}</p> : null}
      {devices.map(({ id, name, port, is_default, volume, is_muted }) => (
        <div key={id} class="sound">
          <p>
            {name}
            {port === null ? '' : ` · ${port}`}
          </p>
          <Loudness name={name} volume={volume} isMuted={is_muted} target={{ device: id, kind }}>
            {is_default ? (
              <span class="state good">Default</span>
            ) : (
              <Order
                event="AUDIO_CONTROL"
                data={{ action: 'DEFAULT', device: id, kind }}
                class="plain"
                label={`Use ${name} as default`}
              >
                Use
              </Order>
            )}
          </Loudness>
        </div>
      ))}
    </Card>
  );
}

function StreamLine({ stream: { id, kind, application, title, volume, is_muted, is_paused } }: { stream: Stream }) {
  const name = application ?? 'A program';
  const does = is_paused ? 'paused' : kind === 'playback' ? 'playing' : 'recording';
  return (
    <div class="sound">
      <p>
        {name} <span class="quiet">{[does, title].filter(Boolean).join(' · ')}</span>
      </p>
      <Loudness name={name} volume={volume} isMuted={is_muted} target={{ stream: id, kind }} />
    </div>
  );
}

interface LoudnessProps {
  name: string;
  volume: number | null;
  isMuted: boolean;
  /** The target of AUDIO_CONTROL. */
  target: Record<string, unknown>;
  children?: ComponentChildren;
}

function Loudness({ name, volume, isMuted, target, children }: LoudnessProps) {
  return (
    <div class="buttons">
      <Order
        event="AUDIO_CONTROL"
        data={{ action: 'MUTE', value: !isMuted, ...target }}
        class="plain"
        pressed={isMuted}
        label={`Mute ${name}`}
      >
        {isMuted ? 'Muted' : 'Mute'}
      </Order>
      {children}
      {volume === null ? null : (
        <Slider
          label={`Volume of ${name}`}
          spoken
          value={volume}
          max={Math.max(100, Math.round(volume))}
          event="AUDIO_CONTROL"
          data={(value) => ({ action: 'VOLUME', value, ...target })}
        />
      )}
    </div>
  );
}
