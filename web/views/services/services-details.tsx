import type { ServiceLogsOutput, ServiceUnit } from '../../../src/features/services/services.schema.ts';
import { timeInWords } from '../../../src/lib/units.ts';
import { OrderRow } from '../../components/action-row.tsx';
import { DetailsPane, LogOnDemand } from '../../components/details-pane.tsx';
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
  close(): void;
}

/** One service: facts, actions and log. */
export function ServiceDetails({ name, unit, close }: ServiceDetailsProps) {
  return (
    <DetailsPane kind="Service" title={name} close={close}>
      {unit === undefined ? (
        <p class="quiet">This service is not in the list. It may have been removed.</p>
      ) : (
        <>
          <p>{unit.description}</p>
          <dl>
            {factsOf(unit).map(([title, text]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            ))}
            <div>
              <dt>Since</dt>
              <dd>
                <When at={unit.since === null ? null : unit.since * 1000} />
              </dd>
            </div>
            {unit.main_pid === null ? null : (
              <div>
                <dt>Main process</dt>
                <dd>
                  <Link to={`/processes?pid=${unit.main_pid}`}>{unit.main_pid}</Link>
                </dd>
              </div>
            )}
          </dl>
          <ServiceControl name={name} unit={unit} />
          <ServiceLog name={name} />
        </>
      )}
    </DetailsPane>
  );
}

const stateInWords = (active: string, sub: string) => (active === sub ? active : `${active} (${sub})`);

const isUp = ({ active_state }: ServiceUnit) => active_state !== 'inactive' && active_state !== 'failed';
const isEnabled = ({ enabled }: ServiceUnit) => enabled?.startsWith('enabled') === true;

const orders = [
  { event: 'SERVICE_START', label: 'Start', text: null, isFor: (unit: ServiceUnit) => !isUp(unit) },
  { event: 'SERVICE_STOP', label: 'Stop', text: 'Anything that depends on it stops working.', isFor: isUp },
  { event: 'SERVICE_RESTART', label: 'Restart', text: 'It will be unavailable for a moment.', isFor: isUp },
  {
    event: 'SERVICE_ENABLE',
    label: 'Enable',
    text: 'It will start with the machine from now on.',
    // The file of any other kind does not say how.
    isFor: ({ enabled }: ServiceUnit) => enabled === 'disabled' || enabled === 'indirect',
  },
  {
    event: 'SERVICE_DISABLE',
    label: 'Disable',
    text: 'It will no longer start with the machine.',
    isFor: isEnabled,
  },
] as const;

/** Longer than the service waits for any action. */
const patienceMs = 130_000;

/** The actions, or the reason why they are not allowed. */
function ServiceControl({ name, unit }: { name: string; unit: ServiceUnit }) {
  if (session.value?.scopes.includes('services') !== true) return null;
  const given = orders
    .filter(({ isFor }) => isFor(unit))
    .map(({ event, label, text }) => ({ event, label, text, data: { unit: name } }));
  const refusal = unit.allowed ? null : 'To control this service, add it to the allowed services in the settings.';
  return <OrderRow to={name} orders={given} refusal={refusal} timeoutMs={patienceMs} />;
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

function factsOf(unit: ServiceUnit): [string, string][] {
  const facts: [string, string | null][] = [
    ['State', stateInWords(unit.active_state, unit.sub_state)],
    ['Belongs to', unit.scope === 'user' ? 'the user' : 'the machine'],
    ['Start-up', unit.enabled],
    ['Memory', unit.memory === null ? null : bytes(unit.memory)],
    ['CPU time', unit.cpu_time === null ? null : duration(unit.cpu_time)],
    ['Restarts', unit.restarts === null ? null : String(unit.restarts)],
    ['File', unit.load_state === 'loaded' ? null : unit.load_state],
  ];
  return facts.flatMap(([title, text]): [string, string][] => (text === null ? [] : [[title, text]]));
}
