import { Icon } from '../components/icon.tsx';
import { visible } from '../state/permission.ts';
import { hasDraft } from '../state/settings-draft.ts';
import { type View, viewGroups } from '../views/index.ts';
import { menuOpen } from './bottom-bar.tsx';
import { MachineSwitcher } from './machine-switcher.tsx';
import { isPresent } from './present-views.ts';
import { Link, parameter } from './route.tsx';

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
