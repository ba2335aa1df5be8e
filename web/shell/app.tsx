import type { ModuleName } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Confirmation } from '../components/confirm.tsx';
import { Empty } from '../components/empty.tsx';
import type { IconName } from '../components/icon.tsx';
import { Absent } from '../components/reasons.tsx';
import { refreshStates } from '../state/availability.ts';
import { whileVisible } from '../state/clock.ts';
import { recordHistory } from '../state/history.ts';
import { followRange } from '../state/history-range-data.ts';
import { dataOf, useModule } from '../state/live.ts';
import { encryptedAccess } from '../state/own-command.ts';
import { moment, range } from '../state/range.ts';
import { offersEncryption, session, signedInHere } from '../state/session.ts';
import { set } from '../state/set.ts';
import { refreshStanding } from '../state/status.ts';
import { EncryptionOffer } from '../views/encrypted.tsx';
import { type View, type ViewContent, viewAt } from '../views/index.ts';
import { Announcements } from './announcements.tsx';
import { BottomBar } from './bottom-bar.tsx';
import { ConnectionNote } from './connection-note.tsx';
import { openPalette, Palette } from './palette-host.tsx';
import { Link, parameter, path } from './route.tsx';
import { SideBar } from './side-bar.tsx';
import { SignIn } from './sign-in.tsx';
import { StandingNotes } from './status-notes.tsx';
import { TopBar } from './top-bar.tsx';
import { plainText } from './untrusted-text.ts';

/** Available actions change while the page is open, for example with media players. */
const refreshMs = 10_000;

export function App() {
  return (
    <>
      {session.value === null ? (
        <SignIn />
      ) : offersEncryption.value && encryptedAccess() ? (
        <EncryptionOffer />
      ) : (
        <Frame />
      )}
      <Confirmation />
      {session.value?.scopes.includes('admin') === true ? <Permission /> : null}
      <Announcements />
    </>
  );
}

/** Without the frame, at any address. */
const wall: Loaded = { load: async () => (await import('../views/wall.tsx')).Wall };
/** Not needed by live charts, which most visits begin with. */
const rangeTools: Loaded = { load: async () => (await import('./range-tools.tsx')).RangeTools };
const momentPanel: Loaded = { load: async () => (await import('./history-moment.tsx')).Moment };

const permissionPrompt: Loaded = {
  load: async () => (await import('./permission-prompt.tsx')).PermissionPrompt,
};

type Loaded = Pick<View, 'load' | 'content'> & Partial<Pick<View, 'module' | 'icon'>>;

function Permission() {
  const isAsked = (useModule('prompts')?.prompts ?? []).length > 0;
  return isAsked ? <Shown view={permissionPrompt} /> : null;
}

function Frame() {
  const view = viewAt(path.value);
  const host = dataOf('system').value?.hostname ?? 'Hostler';
  useEffect(recordHistory, []);
  useEffect(followRange, []);
  useEffect(() => {
    // After the data of the current page.
    const first = setTimeout(refreshStanding, 600);
    const stop = whileVisible(refreshMs, () => {
      void refreshStates();
      void refreshStanding();
    });
    return () => {
      clearTimeout(first);
      stop();
    };
  }, []);
  useEffect(() => {
    const search = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener('keydown', search);
    return () => removeEventListener('keydown', search);
  }, []);
  useEffect(() => {
    document.title = plainText(view === undefined ? host : `${view.title} · ${host}`);
  }, [view, host]);
  if (parameter('view') === 'wall') return <Shown key="wall" view={wall} />;
  return (
    <div class="frame">
      <a class="skip" href="#view">
        Skip to content
      </a>
      <SideBar view={view} host={host} />
      <div class="column">
        <TopBar view={view} host={host} />
        <ConnectionNote />
        <StandingNotes />
        {view?.ranged === true && range.value.refreshMs !== null ? <Shown view={rangeTools} /> : null}
        <main id="view" tabIndex={-1}>
          <Heading view={view} />
          {view === undefined ? <NoPage /> : <Shown key={view.path} view={view} />}
        </main>
        {view?.ranged === true && moment.value !== null ? <Shown view={momentPanel} /> : null}
      </div>
      <BottomBar view={view} />
      <Palette />
    </div>
  );
}

function NoPage() {
  return (
    <Empty icon="search" sentence="There is no such page.">
      Choose another view, or go to the <Link to="/">overview</Link>.
    </Empty>
  );
}

/** Moves the focus to the new view after navigation, for screen readers and keyboards. */
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
    // The bar above shows it.
    <h1 ref={heading} tabIndex={-1} class="spoken">
      {view?.title ?? 'Not found'}
    </h1>
  );
}

function Shown({ view }: { view: Loaded }) {
  const loaded = useSignal<ViewContent | null>(view.content ?? null);
  const problem = useSignal('');
  useEffect(() => {
    if (loaded.value !== null) return;
    view.load().then(
      (component) => set(loaded, component),
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
  if (Content === null) return <p class="quiet">Loading…</p>;
  return view.module === undefined ? (
    <Content data={null as never} />
  ) : (
    <OfModule {...view} module={view.module} content={Content} />
  );
}

function OfModule({
  module,
  icon,
  content: Content,
}: {
  module: ModuleName;
  icon?: IconName | undefined;
  content: ViewContent;
}) {
  const data = useModule(module);
  return data === null ? <Absent module={module} icon={icon} /> : <Content data={data as never} />;
}
