import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { Announcements } from './parts/announce.tsx';
import { Confirmation } from './parts/confirm.tsx';
import { ConnectionNote } from './parts/connection-note.tsx';
import { SignIn } from './parts/sign-in.tsx';
import { Link, path } from './route.tsx';
import { recordHistory } from './state/history.ts';
import { dataOf, moduleStates } from './state/live.ts';
import { signOut, token } from './state/session.ts';
import { type View, viewAt, views } from './views/views.ts';

export function App() {
  return (
    <>
      {token.value === null ? <SignIn /> : <Frame />}
      <Confirmation />
      <Announcements />
    </>
  );
}

/** Everything around a view. */
function Frame() {
  const view = viewAt(path.value);
  useEffect(recordHistory, []);
  const host = dataOf('system').value?.hostname ?? 'Hostler';
  useEffect(() => {
    document.title = view === undefined ? host : `${view.title} · ${host}`;
  }, [view, host]);
  return (
    <div class="frame">
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <header>
        <Link to="/" class="brand">
          {host}
        </Link>
        <nav aria-label="Views">
          {views.map((each) => (
            <Link key={each.path} to={each.path} current={each === view} class={isAvailable(each) ? '' : 'unavailable'}>
              {each.title}
            </Link>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={() => signOut()}>
          Sign out
        </button>
      </header>
      <ConnectionNote />
      <main id="view" tabIndex={-1}>
        <h1 class={view?.path === '/' ? 'spoken' : ''}>{view?.title ?? 'Not found'}</h1>
        {view === undefined ? <p>There is no such page.</p> : <Shown key={view.path} view={view} />}
      </main>
    </div>
  );
}

function isAvailable({ module }: View): boolean {
  const state = moduleStates.value.find(({ name }) => name === module);
  return state === undefined || state.availability !== 'unavailable';
}

function Shown({ view }: { view: View }) {
  const loaded = useSignal<ComponentType | null>(null);
  const problem = useSignal('');
  useSignalEffect(() => {
    view.load().then(
      (component) => {
        loaded.value = component;
      },
      () => {
        problem.value = 'This view could not be loaded; is the service still there?';
      },
    );
  });
  const Content = loaded.value;
  if (problem.value !== '') return <p class="problem">{problem.value}</p>;
  return Content === null ? <p class="quiet">Loading…</p> : <Content />;
}
