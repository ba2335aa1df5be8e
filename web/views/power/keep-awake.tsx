import { useSignal } from '@preact/signals';
import { Order } from '../../components/action-button.tsx';
import { Card, State } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { obstacle } from '../../state/availability.ts';
import { request, useModule } from '../../state/live.ts';

/** Requests that keep the machine awake, and a form for a new one. */
export function KeepAwakeCard() {
  const held = useModule('session')?.keep_awake ?? [];
  const [reason, minutes] = [useSignal(''), useSignal('60')];
  const refusal = obstacle('POWER_INHIBIT');
  const begin = () =>
    attempt(() =>
      request('POWER_INHIBIT', {
        reason: reason.value.trim() || 'The dashboard',
        seconds: Math.round(Math.min(1440, Math.max(1, Number(minutes.value) || 60)) * 60),
      }),
    );
  return (
    <Card title="Keep awake" icon="clock" figure={<State good={held.length > 0} words={['on', 'off']} />}>
      {held.map(({ id, reason: why, token, until }) => (
        <p key={id} class="desk-switch">
          <span>
            {why} <span class="small">({token})</span>, ends <When at={until * 1000} />
          </span>
          <Order event="POWER_UNINHIBIT" data={{ id }} label={`End: ${why}`} class="plain">
            End
          </Order>
        </p>
      ))}
      {refusal === null ? (
        <div class="form narrow">
          <Field label="Reason" value={reason} placeholder="A backup is running" />
          <Field label="Minutes (up to 1440)" kind="number" min={1} max={1440} value={minutes} />
          <button type="button" onClick={begin}>
            Keep awake
          </button>
        </div>
      ) : (
        <p class="small">{refusal}</p>
      )}
    </Card>
  );
}

/** Nothing where the machine has no power profiles. */
export function PowerProfileCard() {
  const session = useModule('session');
  if (session === null || session.power_profiles.length === 0) return null;
  return (
    <Card title="Power profile" icon="charging">
      <fieldset class="segments" aria-label="Power profile">
        {session.power_profiles.map((profile) => (
          <Order
            key={profile}
            event="POWER_PROFILE"
            data={{ profile }}
            label={`Power profile ${inWords(profile)}`}
            pressed={profile === session.power_profile}
          >
            {inWords(profile)}
          </Order>
        ))}
      </fieldset>
    </Card>
  );
}

/** `power-saver` → power saver. */
const inWords = (profile: string) => profile.replaceAll('-', ' ');
