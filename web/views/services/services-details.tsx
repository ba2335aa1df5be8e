import type { ServiceLogsOutput, ServiceUnit } from '../../../src/features/services/services.schema.ts';
import { timeInWords } from '../../../src/lib/units.ts';
import { type Offer, OrderRow } from '../../components/action-row.tsx';
import { DetailsPane, LogOnDemand } from '../../components/details-pane.tsx';
import { type Fact, Facts } from '../../components/fact-list.tsx';
import { When } from '../../components/time.tsx';
import { Link } from '../../shell/route.tsx';
import { obstacle } from '../../state/availability.ts';
import { request } from '../../state/live.ts';
import { session } from '../../state/session.ts';
import { bytes, duration } from '../../units.ts';

interface ServiceDetailsProps {
  /** As orders name it. */
  name: string;
  /** undefined: no longer in the list. */
  unit: ServiceUnit | undefined;
}

export function ServiceDetails({ name, unit }: ServiceDetailsProps) {
  return (
    <DetailsPane kind="Service" title={name} parameter="unit">
      {unit === undefined ? (
        <p class="quiet">This service is not in the list. It may have been removed.</p>
      ) : (
        <>
          <p>{unit.description}</p>
          <Facts of={factsOf(unit)} />
          <ServiceControl name={name} unit={unit} />
          <ServiceLog name={name} />
        </>
      )}
    </DetailsPane>
  );
}

const stateInWords = (active: string, sub: string) => (active === sub ? active : `${active} (${sub})`);

const isUp = ({ active_state }: ServiceUnit) => active_state !== 'inactive' && active_state !== 'failed';

const orders: readonly Offer<ServiceUnit>[] = [
  { event: 'SERVICE_START', label: 'Start', isFor: (unit) => !isUp(unit) },
  { event: 'SERVICE_STOP', label: 'Stop', text: 'Anything that depends on it stops working.', isFor: isUp },
  { event: 'SERVICE_RESTART', label: 'Restart', text: 'It will be unavailable for a moment.', isFor: isUp },
  {
    event: 'SERVICE_ENABLE',
    label: 'Enable',
    text: 'It will start with the machine from now on.',
    // The file of any other kind does not say how.
    isFor: ({ enabled }) => enabled === 'disabled' || enabled === 'indirect',
  },
  {
    event: 'SERVICE_DISABLE',
    label: 'Disable',
    text: 'It will no longer start with the machine.',
    isFor: ({ enabled }) => enabled?.startsWith('enabled') === true,
  },
];

/** Longer than the service waits for any action. */
const patienceMs = 130_000;

function ServiceControl({ name, unit }: { name: string; unit: ServiceUnit }) {
  if (session.value?.scopes.includes('services') !== true) return null;
  const refusal = unit.allowed ? null : 'To control this service, add it to the allowed services in the settings.';
  return (
    <OrderRow
      to={name}
      offers={orders.filter(({ isFor }) => isFor(unit))}
      data={{ unit: name }}
      refusal={refusal}
      timeoutMs={patienceMs}
    />
  );
}

function ServiceLog({ name }: { name: string }) {
  const read = async () => {
    const { data } = await request('GET_SERVICE_LOGS', { unit: name, lines: 100 }, { timeoutMs: 20_000 });
    const { lines, reason } = data as ServiceLogsOutput;
    return { lines: lines.map(({ at, text }) => `${timeInWords(Math.round(at))}  ${text}`), reason };
  };
  const refusal = obstacle('GET_SERVICE_LOGS');
  return <LogOnDemand what="log" label={`Log of ${name}`} none="The log is empty." refusal={refusal} read={read} />;
}

const factsOf = (unit: ServiceUnit): Fact[] => [
  ['State', stateInWords(unit.active_state, unit.sub_state)],
  ['Belongs to', unit.scope === 'user' ? 'the user' : 'the machine'],
  ['Start-up', unit.enabled],
  ['Memory', unit.memory === null ? null : bytes(unit.memory)],
  ['CPU time', unit.cpu_time === null ? null : duration(unit.cpu_time)],
  ['Restarts', unit.restarts],
  ['File', unit.load_state === 'loaded' ? null : unit.load_state],
  ['Since', <When at={unit.since === null ? null : unit.since * 1000} />],
  ['Main process', unit.main_pid === null ? null : <Link to={`/processes?pid=${unit.main_pid}`}>{unit.main_pid}</Link>],
];
