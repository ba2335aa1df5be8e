import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { loadMachines, machines } from '../state/machines.ts';
import { visible } from '../state/permission.ts';
import { set } from '../state/set.ts';
import { hasDraft } from '../state/settings-draft.ts';
import { type View, viewGroups } from '../views/index.ts';
import { menuOpen } from './bottom-bar.tsx';
import { isPresent } from './present-views.ts';
import { Link, parameter, path } from './route.tsx';

/** Views of the machine, and below them those of Hostler itself, which never scroll away; on a phone it is behind "More". */
export function SideBar({ view, host }: { view: View | undefined; host: string }) {
  const groups = visible(viewGroups);
  const absent = groups.flatMap(({ views }) => views).filter((each) => !isPresent(each));
  const present = groups.map(({ title, views }) => ({ title, views: views.filter(isPresent) }));
  const own = present.filter(({ title }) => title === 'Hostler');
  const machine = present.filter((group) => group.views.length > 0 && !own.includes(group));
  return (
    <aside class={menuOpen.value ? 'side open' : 'side'} id="all-views">
      <MachineSwitcher host={host} />
      <nav aria-label="Views">
        <div class="scrolled">
          {machine.map(({ title, views }) => (
            <Group key={title} title={title} views={views} current={view} />
          ))}
          {absent.length === 0 ? null : (
            <details class="absent" open={view !== undefined && absent.includes(view)}>
              <summary>Not on this machine ({absent.length})</summary>
              <Links views={absent} current={view} />
            </details>
          )}
        </div>
        {own.map(({ title, views }) => (
          <Group key={title} title={title} views={views} current={view} />
        ))}
      </nav>
    </aside>
  );
}

interface LinksProps {
  views: readonly View[];
  current: View | undefined;
}

function Group({ title, ...links }: LinksProps & { title: string }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Links {...links} />
    </section>
  );
}

function Links({ views, current }: LinksProps) {
  return (
    <ul>
      {views.map((each) => (
        <li key={each.path}>
          <ViewLink view={each} current={each === current} />
        </li>
      ))}
    </ul>
  );
}

export function ViewLink({ view, current }: { view: View; current: boolean }) {
  // The chosen range stays when the view changes.
  const range = view.ranged === true ? parameter('range') : null;
  const to = range === null ? view.path : `${view.path}?range=${encodeURIComponent(range)}`;
  return (
    <Link to={to} current={current}>
      <Icon name={view.icon} />
      <span class="name">{view.title}</span>
      {view.path === '/settings' && hasDraft() ? <span class="badge">Unsaved</span> : null}
    </Link>
  );
}

/** Loaded after the page: few users have a second machine. */
const loadAfterMs = 2500;

function MachineSwitcher({ host }: { host: string }) {
  const open = useSignal(false);
  const menu = useRef<HTMLDivElement>(null);
  const where = path.value;
  useEffect(() => {
    const timer = setTimeout(() => void loadMachines(), loadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => set(open, false), [where]);
  const others = machines.value;
  const brand = (
    <Link to="/" class="brand">
      <span class="mark" aria-hidden="true" />
      <span class="name">{host}</span>
    </Link>
  );
  if (others.length === 0) return brand;
  return (
    <div class="machines" ref={menu}>
      {brand}
      <button
        type="button"
        class="bare"
        aria-label="Other machines"
        aria-expanded={open.value}
        aria-controls="other-machines"
        onClick={() => set(open, !open.value)}
      >
        <Icon name="choose" />
      </button>
      {open.value ? (
        <ul id="other-machines">
          {others.map(({ name, origin }) => (
            <li key={origin}>
              <a href={origin} title={origin} rel="noopener">
                <Icon name="machine" /> {name}
              </a>
            </li>
          ))}
          <li>
            <Link to="/connections">
              <Icon name="overview" /> All at once
            </Link>
          </li>
        </ul>
      ) : null}
    </div>
  );
}
