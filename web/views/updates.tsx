import type { ModulePayloads } from '@hostler/client/client.ts';
import { Card } from '../components/card.tsx';
import { Absent, Reasons, reasonsOf } from '../components/reasons.tsx';
import { TableHead } from '../components/table-head.tsx';
import { When } from '../components/time.tsx';
import { useModule } from '../state/live.ts';

type Manager = ModulePayloads['updates']['managers'][number];

/** Packages that have an update, by manager, and whether the machine is to be restarted. */
export function Updates() {
  const updates = useModule('updates');
  if (updates === null) return <Absent module="updates" icon="update" />;
  const { managers, reboot } = updates;
  return (
    <div class="cards">
      <Card title="Available updates" icon="update" figure={countOf(updates.updates)}>
        <dl>
          <div>
            <dt>Security updates</dt>
            <dd>{countOf(updates.security_updates)}</dd>
          </div>
          <div>
            <dt>Restart</dt>
            <dd>{reboot.required === true ? 'needed' : reboot.required === false ? 'not needed' : '–'}</dd>
          </div>
        </dl>
        {reboot.reasons.length === 0 ? null : (
          <ul class="reasons">
            {reboot.reasons.map((reason) => (
              <li key={reason}>{reason}.</li>
            ))}
          </ul>
        )}
        {managers.length === 0 ? <Reasons module="updates" fields={['updates']} /> : null}
        <Reasons module="updates" fields={['managers']} />
      </Card>
      {managers.map((manager) => (
        <ManagerCard key={manager.name} manager={manager} />
      ))}
    </div>
  );
}

const countOf = (count: number | null) => (count === null ? '–' : String(count));

/** Display names of the package managers. */
const titles: Record<Manager['name'], string> = {
  apt: 'apt',
  flatpak: 'Flatpak',
  fwupd: 'Firmware',
  packagekit: 'PackageKit',
  pacman: 'pacman',
  snap: 'Snap',
  'windows-update': 'Windows Update',
};

function ManagerCard({ manager }: { manager: Manager }) {
  const { name, updates, security_updates, checked_at, packages } = manager;
  const silent =
    updates === null ? reasonsOf('updates', ['managers[].updates']).filter((each) => each.startsWith(name)) : [];
  return (
    <Card title={titles[name]} figure={countOf(updates)} wide={packages.length > 0}>
      <p class="small above-table">
        {security_updates === null
          ? ''
          : `${security_updates} security ${security_updates === 1 ? 'update' : 'updates'} · `}
        {checked_at === null ? (
          'When its lists were last refreshed is not recorded.'
        ) : (
          <>
            Lists refreshed <When at={checked_at * 1000} />
          </>
        )}
      </p>
      {silent.map((reason) => (
        <p key={reason} class="reasons">
          {reason}
        </p>
      ))}
      {packages.length === 0 ? null : <Packages of={packages} />}
      {updates !== null && updates > packages.length ? (
        <p class="small">And {updates - packages.length} more.</p>
      ) : null}
    </Card>
  );
}

function Packages({ of }: { of: Manager['packages'] }) {
  return (
    <table class="packages phone-rows">
      <TableHead texts={['Package', 'Installed', 'Available']} />
      <tbody>
        {of.map(({ name, current, candidate, security }) => (
          <tr key={`${name} ${candidate}`}>
            <td>
              {name} {security === true ? <span class="state">security</span> : null}
            </td>
            <td data-label="Installed">{current || '–'}</td>
            <td data-label="Available">{candidate}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
