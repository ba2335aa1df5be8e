import type { ComponentChildren } from 'preact';
import type { Past } from '../state/past-charts.ts';
import { momentOf } from '../units.ts';
import { oneLineEach } from './event-merge.ts';
import { Icon, type IconName } from './icon.tsx';
import { When } from './time.tsx';

export type PastEvent = Past['events'][number];

/** Icon and title of each kind of event. The service sends the text. */
export const eventKinds: Record<string, { icon: IconName; title: string }> = {
  start: { icon: 'play', title: 'Hostler started' },
  stop: { icon: 'stop', title: 'Hostler stopped' },
  sleep: { icon: 'dark', title: 'Sleep' },
  wake: { icon: 'light', title: 'Wake' },
  clock: { icon: 'clock', title: 'Clock' },
  session: { icon: 'user', title: 'Sessions' },
  link: { icon: 'network', title: 'Network' },
  mount: { icon: 'disk', title: 'File systems' },
  container: { icon: 'container', title: 'Containers' },
  drive: { icon: 'disk', title: 'Drives' },
  order: { icon: 'power', title: 'Power' },
  access: { icon: 'key', title: 'Access' },
  sign_in: { icon: 'key', title: 'Failed sign-ins' },
  agent: { icon: 'agent', title: 'Agents' },
  mqtt: { icon: 'plug', title: 'MQTT' },
  service: { icon: 'services', title: 'Services' },
  alert: { icon: 'bell', title: 'Alerts' },
};

interface EventListProps {
  events: readonly PastEvent[];
  /** Where there are none. */
  none: string;
  /** Below the title of a day: times instead of how long ago it was. */
  ofOneDay?: boolean;
}

export function EventList({ events, none, ofOneDay = false }: EventListProps) {
  if (events.length === 0) return <p class="quiet">{none}</p>;
  return (
    <ul class="events">
      {oneLineEach(events).map(({ at, kind, text }) => (
        <EventLine
          key={`${at} ${kind} ${text}`}
          icon={eventKinds[kind]?.icon ?? 'info'}
          time={
            ofOneDay ? (
              <time dateTime={new Date(at).toISOString()}>{momentOf(at / 1000, 'minute')}</time>
            ) : (
              <When at={at} />
            )
          }
        >
          {text}
        </EventLine>
      ))}
    </ul>
  );
}

interface EventLineProps {
  icon: IconName;
  time: ComponentChildren;
  children: ComponentChildren;
}

export const EventLine = ({ icon, time, children }: EventLineProps) => (
  <li class="event">
    <Icon name={icon} />
    <span class="event-text">{children}</span>
    {time}
  </li>
);
