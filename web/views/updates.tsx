import type { ModulePayloads } from '@hostler/client/client.ts';
import { Card } from '../components/card.tsx';
import { Facts } from '../components/fact-list.tsx';
import { Reasons, reasonsOf } from '../components/reasons.tsx';
import { Table } from '../components/table.tsx';
import { When } from '../components/time.tsx';

type Manager = ModulePayloads['updates']['managers'][number];

/** Packages that have an update, by manager, and whether the machine is to be restarted. */
export function Updates({ data: updates }: { data: ModulePayloads['updates'] }) {
  const { managers, reboot } = updates;
  return (
    <div class="cards">
      <Card title="Available updates" icon="update" figure={countOf(updates.updates)}>
        <Facts
          of={[
            ['Security updates', countOf(updates.security_updates)],
            ['Restart', reboot.required === true ? 'needed' : reboot.required === false ? 'not needed' : '–'],
          ]}
        />
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
    <Table
      class="packages phone-rows"
      rows={of}
      rowKey={({ name, candidate }) => `${name} ${candidate}`}
      columns={[
        {
          title: 'Package',
          show: ({ name, security }) => (
            <>
              {name} {security === true ? <span class="state">security</span> : null}
            </>
          ),
        },
        { title: 'Installed', show: ({ current }) => current || '–' },
        { title: 'Available', show: ({ candidate }) => candidate },
      ]}
    />
  );
}
