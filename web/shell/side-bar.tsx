import { Icon } from '../components/icon.tsx';
import { stateOf } from '../state/availability.ts';
import { visible } from '../state/permission.ts';
import { type View, viewGroups } from '../views/index.ts';
import { menuOpen } from './bottom-bar.tsx';
import { MachineSwitcher } from './machine-switcher.tsx';
import { Link, parameter } from './route.tsx';

/** All views, in four groups; on a phone it is behind "More". */
export function SideBar({ view, host }: { view: View | undefined; host: string }) {
  return (
    <aside class={menuOpen.value ? 'side open' : 'side'} id="all-views">
      <MachineSwitcher host={host} />
      <nav aria-label="Views">
        {visible(viewGroups).map(({ title, views }) => (
          <section key={title} aria-label={title}>
            <h2>{title}</h2>
            <ul>
              {views.map((each) => (
                <li key={each.path}>
                  <ViewLink view={each} current={each === view} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </aside>
  );
}

export function ViewLink({ view, current }: { view: View; current: boolean }) {
  const absent = view.module !== undefined && stateOf(view.module)?.availability === 'unavailable';
  // The chosen range stays when the view changes.
  const range = view.ranged === true ? parameter('range') : null;
  const to = range === null ? view.path : `${view.path}?range=${encodeURIComponent(range)}`;
  return (
    <Link to={to} current={current} class={absent ? 'unavailable' : ''}>
      <Icon name={view.icon} />
      <span class="name">{view.title}</span>
      {absent ? <span class="spoken"> (not available)</span> : null}
    </Link>
  );
}
