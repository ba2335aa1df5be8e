import type { ModulePayloads } from '@hostler/client/client.ts';
import { Order } from '../components/action-button.tsx';
import { Card, State } from '../components/card.tsx';
import { OutputText } from '../components/details-pane.tsx';
import { Facts } from '../components/fact-list.tsx';
import { inTwo } from '../components/reason-text.ts';
import { Reasons, reasonsOf, Unknown } from '../components/reasons.tsx';
import { When } from '../components/time.tsx';
import { obstacle } from '../state/availability.ts';
import { useModule } from '../state/live.ts';
import { session as signedIn } from '../state/session.ts';

type UserSession = ModulePayloads['session'];

export function Session({ data: session }: { data: ModulePayloads['session'] }) {
  return (
    <div class="cards">
      <PersonCard session={session} />
      <WindowCard session={session} />
      <StateCard session={session} />
      {signedIn.value?.scopes.includes('clipboard') === true ? <ClipboardCard /> : null}
    </div>
  );
}

const types = { x11: 'X11', wayland: 'Wayland', tty: 'Text console', windows: 'Windows', none: 'None' };
const yesNo = (value: boolean | null) => (value === null ? null : value ? 'Yes' : 'No');

function PersonCard({ session }: { session: UserSession }) {
  const { user, seat, type, desktop, idle, idle_since, locked } = session;
  return (
    <Card
      title="Session"
      icon="user"
      figure={idle === null ? undefined : <State good={!idle} words={['in use', 'idle']} />}
    >
      <Facts
        of={[
          ['User', user],
          ['Seat', seat],
          ['Type', types[type]],
          ['Desktop', desktop],
          ['Locked', yesNo(locked)],
        ]}
      />
      {idle_since === null ? null : (
        <p class="small">
          Last input: <When at={idle_since * 1000} />
        </p>
      )}
      <Unknown
        module="session"
        of={[
          ['user', 'user', user],
          ['seat', 'seat', seat],
          ['desktop', 'desktop', desktop],
          ['idle', 'idle', idle],
          ['locked', 'locked', locked],
        ]}
      />
    </Card>
  );
}

function WindowCard({ session: { active_window, virtual_desktop } }: { session: UserSession }) {
  return (
    <Card title="Active window" icon="display">
      {active_window === null ? (
        <Reasons module="session" fields={['active_window']} />
      ) : (
        <>
          <p class="window-title">{active_window.title || 'No title'}</p>
          <Facts
            of={[
              ['Application', active_window.app],
              ['Process', active_window.pid === null ? null : String(active_window.pid)],
              ['Full screen', yesNo(active_window.fullscreen)],
            ]}
          />
        </>
      )}
      {virtual_desktop === null ? null : <Facts of={[['Virtual desktop', desktopInWords(virtual_desktop)]]} />}
    </Card>
  );
}

const desktopInWords = ({ number, name, count }: NonNullable<UserSession['virtual_desktop']>) =>
  `${number} of ${count}${name === null ? '' : ` (${name})`}`;

function StateCard({ session }: { session: UserSession }) {
  const { do_not_disturb, night_light, power_profile, lid_closed, on_battery, virtual_desktop } = session;
  return (
    <Card title="Desktop" icon="settings">
      <DesktopSwitch title="Do not disturb" event="SESSION_SILENCE" on={do_not_disturb} />
      <DesktopSwitch title="Night light" event="SESSION_NIGHTLIGHT" on={night_light} />
      <Facts
        of={[
          ['Power profile', power_profile],
          ['Power source', on_battery === null ? null : on_battery ? 'Battery' : 'Mains'],
          ['Lid', lid_closed === null ? null : lid_closed ? 'Closed' : 'Open'],
        ]}
      />
      <Unknown
        module="session"
        of={[
          ['do not disturb', 'do_not_disturb', do_not_disturb],
          ['night light', 'night_light', night_light],
          ['power profile', 'power_profile', power_profile],
          ['power source', 'on_battery', on_battery],
          ['lid', 'lid_closed', lid_closed],
          ['virtual desktop', 'virtual_desktop', virtual_desktop],
        ]}
      />
    </Card>
  );
}

const kinds = { text: 'text', image: 'picture', other: 'other', empty: 'empty', secret: 'secret' };
/** Shows the beginning. */
const mostShown = 2000;

/** The service reads it only while this is shown. */
function ClipboardCard() {
  const content = useModule('clipboard')?.content ?? null;
  const kind = content?.kind ?? null;
  return (
    <Card title="Clipboard" icon="list" figure={kind === null ? undefined : <span class="state">{kinds[kind]}</span>}>
      {content?.text == null ? (
        [...new Set(reasonsOf('clipboard', ['content', 'content.text']).map((each) => inTwo(each).fact))].map(
          (fact) => (
            <p key={fact} class="reasons">
              {fact}
            </p>
          ),
        )
      ) : (
        <OutputText label="Text on the clipboard" text={content.text.slice(0, mostShown)} />
      )}
      {content?.changed_at == null ? null : (
        <p class="small">
          Copied: <When at={content.changed_at * 1000} />
        </p>
      )}
    </Card>
  );
}

/** GNOME can be switched but does not report its state: then neither button is pressed. */
function DesktopSwitch({ title, event, on }: { title: string; event: string; on: boolean | null }) {
  if (on === null && obstacle(event) !== null) return null;
  const button = (wanted: boolean) => (
    <Order
      event={event}
      data={{ on: wanted }}
      label={`${title} ${wanted ? 'on' : 'off'}`}
      pressed={on === wanted}
      done={on === null ? `${title} was switched ${wanted ? 'on' : 'off'}.` : null}
    >
      {wanted ? 'On' : 'Off'}
    </Order>
  );
  return (
    <fieldset class="desk-switch" aria-label={title}>
      <span>{title}</span>
      <span class="segments">
        {button(true)}
        {button(false)}
      </span>
    </fieldset>
  );
}
