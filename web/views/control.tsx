import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Card } from '../components/card.tsx';
import { Field, Member } from '../components/field.tsx';
import type { IconName } from '../components/icon.tsx';
import { announce, attempt } from '../shell/announcements.tsx';
import { obstacle } from '../state/availability.ts';
import { request } from '../state/live.ts';

export function Control() {
  return (
    <div class="cards">
      <Notify />
      <OpenSomething />
      <TypeSomething />
      <PressKey />
    </div>
  );
}

interface FormProps {
  title: string;
  icon: IconName;
  event: string;
  button: string;
  send(): Promise<unknown>;
  children: ComponentChildren;
}

function ActionForm({ title, icon, event, button, send, children }: FormProps) {
  const reason = obstacle(event);
  const submit = (submitted: Event) => {
    submitted.preventDefault();
    void send();
  };
  return (
    <Card title={title} icon={icon}>
      <form class="form" onSubmit={submit}>
        {children}
        {reason === null ? null : <p class="reasons">{reason}</p>}
        <button type="submit" disabled={reason !== null}>
          {button}
        </button>
      </form>
    </Card>
  );
}

function Notify() {
  const [title, message, button] = [useSignal(''), useSignal(''), useSignal('')];
  const send = () => {
    const actions = button.value === '' ? [] : [{ command: 'pressed', label: button.value }];
    const onMessage = (type: string) => {
      if (type === 'NOTIFICATION_ACTION') announce(`“${button.value}” was pressed.`);
    };
    const data = { title: title.value, message: message.value, actions };
    return attempt(() => request('NOTIFICATION', data, { onMessage }), 'The notification was sent.');
  };
  return (
    <ActionForm title="Notification" icon="bell" event="NOTIFICATION" button="Send" send={send}>
      <Field label="Title" value={title} required />
      <Field label="Message" value={message} kind="lines" />
      <Field label="Button (optional)" value={button} />
    </ActionForm>
  );
}

function OpenSomething() {
  const what = useSignal('');
  const send = () => {
    const isUrl = /^(https?|mailto):/i.test(what.value);
    return attempt(() => request('OPEN', isUrl ? { url: what.value } : { path: what.value }), 'The target was opened.');
  };
  return (
    <ActionForm title="Open" icon="folder" event="OPEN" button="Open" send={send}>
      <Field label="Web address or file path" value={what} required placeholder="https://" />
    </ActionForm>
  );
}

function TypeSomething() {
  const text = useSignal('');
  const send = () => attempt(() => request('KEYBOARD_TEXT', { text: text.value }), 'The text was typed.');
  return (
    <ActionForm title="Type text" icon="keyboard" event="KEYBOARD_TEXT" button="Type" send={send}>
      <Field label="Text" value={text} kind="lines" required />
    </ActionForm>
  );
}

const keys =
  'enter escape tab space backspace delete up down left right home end pageup pagedown f5 f11 printscreen audio_mute audio_vol_down audio_vol_up audio_play audio_next audio_prev'.split(
    ' ',
  );
const modifiers = ['shift', 'control', 'alt', 'command'];

function PressKey() {
  const key = useSignal('');
  const held = useSignal<string[]>([]);
  const send = () =>
    attempt(() => request('KEYBOARD_KEYPRESS', { key: key.value, modifiers: held.value }), 'The key was pressed.');
  return (
    <ActionForm title="Press key" icon="keyboard" event="KEYBOARD_KEYPRESS" button="Press" send={send}>
      <Field label="Key, such as a, enter or audio_mute" value={key} choices={keys} required />
      <fieldset class="checks">
        <legend>Modifiers</legend>
        {modifiers.map((modifier) => (
          <Member key={modifier} of={held} choice={modifier}>
            {modifier}
          </Member>
        ))}
      </fieldset>
    </ActionForm>
  );
}
