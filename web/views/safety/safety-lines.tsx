import type { ComponentChildren } from 'preact';
import { disksInTrouble } from '../../../src/lib/disk-problems.ts';
import type { Settings } from '../../../src/settings/settings.schema.ts';
import { Icon } from '../../components/icon.tsx';
import { Link } from '../../shell/route.tsx';
import { stateOf } from '../../state/availability.ts';
import { isYetUnknown } from '../../state/empty-module.ts';
import { useModule } from '../../state/live.ts';
import { answerTo, useLoaded } from '../../state/loaded.ts';
import { send, session } from '../../state/session.ts';
import { type KnownToken, type OpenPorts, unusedTokens } from './safety-checks.ts';

/** One line of the answer; `good` null: not known. */
function Check({ good, children }: { good: boolean | null; children: ComponentChildren }) {
  return (
    <li class={good === false ? 'answer bad' : 'answer'}>
      <Icon name={good === null ? 'info' : good ? 'safe' : 'warning'} />
      <span>{children}</span>
    </li>
  );
}

export function UpdateChecks() {
  const updates = useModule('updates');
  const state = stateOf('updates');
  if (updates === null || state?.reasons.some(isYetUnknown))
    return (
      <Check good={null}>
        {state?.availability === 'unavailable' && !state.reasons.some(isYetUnknown)
          ? 'The updates of this machine are not known.'
          : 'The package managers are being asked for updates…'}
      </Check>
    );
  const { security_updates: security, updates: all, reboot } = updates;
  return (
    <>
      {security !== null && security > 0 ? (
        <Check good={false}>
          <Link to="/updates">
            {security} security {security === 1 ? 'update is' : 'updates are'} not installed
          </Link>
          .
        </Check>
      ) : security !== null || all === 0 ? (
        <Check good>No security update is waiting, by the lists of the package managers.</Check>
      ) : (
        <Check good={null}>
          <Link to="/updates">{all === null ? 'The available updates' : `Of ${all} updates, those for security`}</Link>{' '}
          are not known.
        </Check>
      )}
      {reboot.required === true ? (
        <Check good={false}>
          A restart is needed before <Link to="/updates">installed updates</Link> take effect.
        </Check>
      ) : null}
    </>
  );
}

export function DriveChecks() {
  const disks = useModule('disks');
  const services = useModule('services');
  const troubles = disks === null ? [] : disksInTrouble(disks.devices, disks.arrays);
  const failed = services?.units.filter(({ active_state }) => active_state === 'failed').length ?? 0;
  return (
    <>
      {troubles.map((trouble) => (
        <Check key={trouble} good={false}>
          <Link to="/disks">{trouble}</Link>.
        </Check>
      ))}
      {failed === 0 ? null : (
        <Check good={false}>
          <Link to="/services">
            {failed} {failed === 1 ? 'service has' : 'services have'} failed
          </Link>
          .
        </Check>
      )}
    </>
  );
}

/** What only an administrator may see; null: not loaded, or not permitted. */
export function AccessChecks({ ports }: { ports: readonly OpenPorts[] }) {
  const mayManage = session.value?.scopes.includes('admin') === true;
  const { data: tokens, problem } = useLoaded(async () =>
    mayManage ? ((await send('GET', '/api/tokens')) as KnownToken[]) : null,
  );
  const settings = useLoaded(async () => (mayManage ? await answerTo<Settings>('GET_SETTINGS') : null));
  // Without settings its line is left out.
  const server = settings.data?.server ?? null;
  const open = ports.filter(({ everywhere }) => everywhere.length > 0).length;
  const unused = unusedTokens(tokens ?? [], Date.now());
  const isReachable = (port: number | string | undefined) =>
    ports.some(({ everywhere }) => everywhere.includes(`TCP ${port}`));
  // Another port than that of the settings may have been given at the start.
  const isPlain = isReachable(server?.port) || (location.protocol === 'http:' && isReachable(location.port || '80'));
  return (
    <>
      <Check good={null}>
        {open === 0
          ? 'No program accepts connections from the network.'
          : `${open} ${open === 1 ? 'program accepts' : 'programs accept'} connections from the network; they are listed below.`}
      </Check>
      {server === null ? null : isPlain ? (
        <Check good={false}>
          Hostler accepts connections without encryption from the network. Switch on{' '}
          <Link to="/settings?setting=server.tls">encrypted access</Link>, and limit{' '}
          <Link to="/settings?setting=server.plain">unencrypted access</Link> to this machine.
        </Check>
      ) : (
        <Check good>
          {isReachable(server.tlsPort)
            ? 'Hostler accepts encrypted connections only from the network.'
            : 'Hostler accepts connections from this machine only.'}
        </Check>
      )}
      {tokens === null ? (
        <Check good={null}>
          {!mayManage
            ? 'Tokens are shown to administrators only.'
            : problem === ''
              ? 'Loading the tokens…'
              : `The tokens are not shown here: ${problem}.`}
        </Check>
      ) : (
        <Check good={unused.length === 0}>
          <Link to="/access">
            {tokens.length} {tokens.length === 1 ? 'token' : 'tokens'}
          </Link>{' '}
          {tokens.length === 1 ? 'grants' : 'grant'} access to this machine
          {unused.length === 0 ? '.' : `; not used for 90 days: ${unused.join(', ')}. Revoke what is no longer needed.`}
        </Check>
      )}
    </>
  );
}
