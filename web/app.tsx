import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { plainText } from './foreign-text.ts';
import { Announcements } from './parts/announce.tsx';
import { Confirmation } from './parts/confirm.tsx';
import { ConnectionNote } from './parts/connection-note.tsx';
import { SignIn } from './parts/sign-in.tsx';
import { Link, path } from './route.tsx';
import { refreshStates, stateOf } from './state/availability.ts';
import { recordHistory } from './state/history.ts';
import { dataOf } from './state/live.ts';
import { endSession, session, signedInHere } from './state/session.ts';
import { type View, viewAt, views } from './views/views.ts';

/** What can be done changes while the page is open: players come and go. */
const refreshMs = 10_000;

export function App() {
  return (
    <>
      {session.value === null ? <SignIn /> : <Frame />}
      <Confirmation />
      <Announcements />
    </>
  );
}

/** Everything around a view. */
function Frame() {
  const view = viewAt(path.value);
  const host = dataOf('system').value?.hostname ?? 'Hostler';
  useEffect(recordHistory, []);
  useEffect(() => {
    const timer = setInterval(() => void (!document.hidden && refreshStates()), refreshMs);
    return () => clearInterval(timer);
  }, []);
  useEffect(() => {
    document.title = plainText(view === undefined ? host : `${view.title} · ${host}`);
  }, [view, host]);
  return (
    <div class="frame">
      <a class="skip" href="#view">
        Skip to content
      </a>
      <header>
        <Link to="/" class="brand">
          {host}
        </Link>
        <Navigation view={view} />
        <button type="button" class="quiet" onClick={endSession}>
          Sign out
        </button>
      </header>
      <ConnectionNote />
      <main id="view" tabIndex={-1}>
        <Heading view={view} />
        {view === undefined ? <p>There is no such page.</p> : <Shown key={view.path} view={view} />}
      </main>
    </div>
  );
}

function Navigation({ view }: { view: View | undefined }) {
  const nav = useRef<HTMLElement>(null);
  // On a phone the views stand in one line that is longer than the screen.
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (nav.current && link)
      nav.current.scrollLeft = link.offsetLeft - (nav.current.clientWidth - link.offsetWidth) / 2;
  }, [view]);
  return (
    <nav aria-label="Views" ref={nav}>
      {views.map((each) => {
        const absent = each.module !== undefined && stateOf(each.module)?.availability === 'unavailable';
        return (
          <Link key={each.path} to={each.path} current={each === view} class={absent ? 'unavailable' : ''}>
            {each.title}
            {absent ? <span class="spoken"> (not available)</span> : null}
          </Link>
        );
      })}
    </nav>
  );
}

/** Whoever follows a link goes on from here, also without eyes or a mouse. */
function Heading({ view }: { view: View | undefined }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // After signing in the focus would be lost with the form.
  const shown = useRef(signedInHere.peek() ? null : path.value);
  const where = path.value;
  useEffect(() => {
    if (shown.current === where) return;
    shown.current = where;
    heading.current?.focus({ preventScroll: true });
  }, [where]);
  return (
    <h1 ref={heading} tabIndex={-1} class={view?.path === '/' ? 'spoken' : ''}>
      {view?.title ?? 'Not found'}
    </h1>
  );
}

function Shown({ view }: { view: View }) {
  const loaded = useSignal<ComponentType | null>(view.content ?? null);
  const problem = useSignal('');
  useEffect(() => {
    if (loaded.value !== null) return;
    view.load().then(
      (component) => {
        loaded.value = component;
      },
      () => {
        problem.value =
          'This view could not be loaded. The service may have stopped, or been updated since this page was opened.';
      },
    );
  }, []);
  const Content = loaded.value;
  if (problem.value !== '') {
    return (
      <>
        <p class="problem">{problem.value}</p>
        <p>
          <button type="button" onClick={() => location.reload()}>
            Reload page
          </button>
        </p>
      </>
    );
  }
  return Content === null ? <p class="quiet">Loading…</p> : <Content />;
}
