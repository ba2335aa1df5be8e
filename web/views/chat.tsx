import type { ModulePayloads } from '@hostler/client/client.ts';
import { Order } from '../components/action-button.tsx';
import { Card } from '../components/card.tsx';

import { Slider } from '../components/slider.tsx';

type ChatState = ModulePayloads['chat'];
type Member = NonNullable<ChatState['call']>['members'][number];

export function Chat({ data: chat }: { data: ModulePayloads['chat'] }) {
  if (!chat.authenticated) {
    return (
      <p>
        {chat.connected
          ? 'The application has not given permission yet: check its window.'
          : 'The application is not running.'}
      </p>
    );
  }
  return (
    <div class="cards">
      <Card title={chat.user?.global_name ?? chat.user?.username ?? 'You'}>
        <div class="buttons">
          <Order event="CHAT_CONTROL" data={{ action: 'TOGGLE_MUTE' }} pressed={chat.mute === true}>
            {chat.mute === true ? 'Muted' : 'Mute'}
          </Order>
          <Order event="CHAT_CONTROL" data={{ action: 'TOGGLE_DEAFEN' }} pressed={chat.deaf === true}>
            {chat.deaf === true ? 'Deafened' : 'Deafen'}
          </Order>
          {chat.call === null ? null : (
            <Order event="CHAT_CONTROL" data={{ action: 'LEAVE_VOICE_CHANNEL' }} class="danger">
              Leave
            </Order>
          )}
        </div>
        <Volume label="Microphone" value={chat.input?.volume ?? null} max={100} action="SET_INPUT_VOLUME" />
        <Volume label="Output" value={chat.output?.volume ?? null} max={200} action="SET_OUTPUT_VOLUME" />
      </Card>
      <Call chat={chat} />
    </div>
  );
}

function Call({ chat: { call } }: { chat: ChatState }) {
  if (call === null) {
    return (
      <Card title="Call">
        <p class="quiet">You are not in a voice channel.</p>
      </Card>
    );
  }
  const { channel, server, connection, members, me } = call;
  return (
    <Card title={[server?.name, channel.name].filter(Boolean).join(' · ') || 'Call'}>
      <p class="small">
        {connection?.state.toLowerCase().replaceAll('_', ' ') ?? 'connecting'}
        {connection?.average_ping ? ` · ${Math.round(connection.average_ping)} ms` : ''}
      </p>
      <ul class="members">
        {members.map((member) => (
          <MemberLine key={member.user.id} member={member} isMe={member.user.id === me?.user.id} />
        ))}
      </ul>
    </Card>
  );
}

function MemberLine({ member, isMe }: { member: Member; isMe: boolean }) {
  const { user, nick, speaking, self_mute, self_deaf, server_mute, local_mute, volume } = member;
  const name = nick ?? user.global_name ?? user.username;
  const states = [
    speaking ? 'speaking' : '',
    self_deaf ? 'deafened' : self_mute ? 'muted' : '',
    server_mute ? 'muted by a moderator' : '',
    local_mute === true ? 'muted by you' : '',
  ].filter(Boolean);
  return (
    <li class={speaking ? 'speaking' : ''}>
      <span>
        {name} <span class="small">{states.join(', ')}</span>
      </span>
      {isMe ? null : (
        <>
          <Order
            event="CHAT_CONTROL"
            data={{ action: local_mute === true ? 'UNMUTE_USER' : 'MUTE_USER', user_id: user.id }}
            pressed={local_mute === true}
            label={`Mute ${name} for yourself`}
            class="plain"
          >
            Mute
          </Order>
          <Volume label={`Volume of ${name}`} value={volume} max={200} action="SET_USER_VOLUME" user={user.id} spoken />
        </>
      )}
    </li>
  );
}

interface VolumeProps {
  label: string;
  value: number | null;
  max: number;
  action: string;
  user?: string;
  spoken?: boolean;
}

function Volume({ label, value, max, action, user, spoken = false }: VolumeProps) {
  if (value === null) return null;
  const data = (wanted: number) => ({ action, value: wanted, user_id: user });
  return <Slider label={label} spoken={spoken} value={value} max={max} event="CHAT_CONTROL" data={data} />;
}
