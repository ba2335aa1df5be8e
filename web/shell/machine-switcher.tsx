import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { loadMachines, machines } from '../state/machines.ts';
import { Link, path } from './route.tsx';

/** Loaded after the page: few users have a second machine. */
const loadAfterMs = 2500;

/** The name of this machine, and links to others. */
export function MachineSwitcher({ host }: { host: string }) {
  const open = useSignal(false);
  const menu = useRef<HTMLDivElement>(null);
  const where = path.value;
  useEffect(() => {
    const timer = setTimeout(() => void loadMachines(), loadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    open.value = false;
  }, [where]);
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
        onClick={() => {
          open.value = !open.value;
        }}
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
