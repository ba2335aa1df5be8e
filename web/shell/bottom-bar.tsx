import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { maySee } from '../state/permission.ts';
import { set } from '../state/set.ts';
import { type View, views } from '../views/index.ts';
import { isPresent } from './present-views.ts';
import { path } from './route.tsx';
import { ViewLink } from './side-bar.tsx';

/** Whether all views are shown over the page, on a phone. */
export const menuOpen = signal(false);

/** The most used views; the first of them that the machine has. */
const wanted = ['/', '/processes', '/media', '/power', '/services', '/containers', '/disks', '/network'];
const places = 4;

export function BottomBar({ view }: { view: View | undefined }) {
  const where = path.value;
  useEffect(() => set(menuOpen, false), [where]);
  useEffect(() => {
    const close = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') menuOpen.value = false;
    };
    addEventListener('keydown', close);
    return () => removeEventListener('keydown', close);
  }, []);
  const shown = wanted
    .flatMap((place) => views.filter((each) => each.path === place && maySee(each) && isPresent(each)))
    .slice(0, places);
  return (
    <nav class="bottom-bar" aria-label="Main views">
      {shown.map((each) => (
        <ViewLink key={each.path} view={each} current={each === view} />
      ))}
      <button
        type="button"
        class="bare"
        aria-expanded={menuOpen.value}
        aria-controls="all-views"
        onClick={() => set(menuOpen, !menuOpen.value)}
      >
        <Icon name={menuOpen.value ? 'close' : 'more'} />
        <span class="name">More</span>
      </button>
    </nav>
  );
}
