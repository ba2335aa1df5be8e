import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Card } from '../../components/card.tsx';
import { Field } from '../../components/field.tsx';
import { Meter, Quantity } from '../../components/figures.tsx';
import { announce } from '../../shell/announcements.tsx';
import { Link } from '../../shell/route.tsx';
import { useLoaded } from '../../state/loaded.ts';
import { Refused } from '../../state/log-in.ts';
import { loadMachines, type Machine, machines } from '../../state/machines.ts';
import { ownCommand } from '../../state/own-command.ts';
import { endRemote, readRemote, signInTo } from '../../state/remote.ts';
import { type Vitals, vitalsIn } from '../../state/remote-vitals.ts';
import { bytes, celsius, duration, percent } from '../../units.ts';

const noAnswer = 'The machine does not answer, or does not allow this page.';

export function Machines() {
  useEffect(() => void loadMachines(), []);
  return (
    <section aria-label="Other machines">
      <h2 class="section first">Other machines</h2>
      {machines.value.length === 0 ? (
        <p class="quiet">
          None yet. Add them under <Link to="/settings?setting=dashboard.machines">Other machines</Link> in the
          settings; <code>{ownCommand('discover')}</code> lists those on your network.
        </p>
      ) : null}
      <div class="cards">
        {machines.value.map((machine) => (
          <MachineCard key={machine.origin} machine={machine} />
        ))}
      </div>
    </section>
  );
}

function MachineCard({ machine: { name, origin } }: { machine: Machine }) {
  const { data, problem, asked, refresh } = useLoaded(() => vitalsOf(origin), { everyMs: 5000 });
  const vitals = data === 'signed out' || problem !== '' ? null : data;
  return (
    <Card
      title={name}
      icon="machine"
      figure={vitals === null ? undefined : <Quantity text={percent(vitals.cpu.usage)} />}
    >
      <p class="facts">
        <a href={origin} rel="noopener">
          {origin}
        </a>
      </p>
      {asked ? null : <p class="quiet">Connecting…</p>}
      {problem === '' ? null : <Lost problem={problem} />}
      {problem === '' && data === 'signed out' ? <RemoteSignIn origin={origin} name={name} done={refresh} /> : null}
      {vitals === null ? null : (
        <>
          <Numbers vitals={vitals} />
          <button type="button" class="link" onClick={() => endRemote(origin).then(refresh)}>
            Sign out there
          </button>
        </>
      )}
    </Card>
  );
}

async function vitalsOf(origin: string): Promise<Vitals | 'signed out'> {
  const [cpu, memory, system] = await Promise.all(
    ['cpu', 'memory', 'system'].map((each) => readRemote(origin, each)),
  ).catch((thrown) => {
    throw thrown instanceof Refused ? thrown : new Error(noAnswer);
  });
  if (cpu == null || memory == null || system == null) return 'signed out';
  return vitalsIn(cpu, memory, system);
}

function Numbers({ vitals: { cpu, memory, system } }: { vitals: Vitals }) {
  const facts = [
    system.hostname,
    system.uptime === null ? '' : `up ${duration(system.uptime)}`,
    cpu.temperature === null ? '' : celsius(cpu.temperature),
    cpu.load === null ? '' : `load ${cpu.load.toFixed(2)}`,
  ];
  return (
    <>
      <Meter label="Processor" value={cpu.usage} text={percent(cpu.usage)} />
      <Meter label="Memory" value={memory.percent} text={`${bytes(memory.used)} of ${bytes(memory.total)}`} />
      <p class="small">{facts.filter(Boolean).join(' · ')}</p>
    </>
  );
}

/** A page cannot distinguish a machine that is off from one that refuses it: the text names both. */
function Lost({ problem }: { problem: string }) {
  const command = `hostler settings set security.allowedOrigins '["${location.origin}"]'`;
  return (
    <>
      <p class="notice">{problem}</p>
      <p class="small">To allow this page, run this on that machine:</p>
      <pre>{command}</pre>
      <button
        type="button"
        class="plain"
        onClick={() =>
          navigator.clipboard?.writeText(command).then(
            () => announce('The command was copied.'),
            () => announce('The browser does not let this page copy. Select the command instead.', 'problem'),
          )
        }
      >
        Copy command
      </button>
    </>
  );
}

function RemoteSignIn({ origin, name, done }: { origin: string; name: string; done(): Promise<void> }) {
  const token = useSignal('');
  const problem = useSignal('');
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await signInTo(origin, token.value.trim());
      await done();
    } catch (thrown) {
      problem.value = thrown instanceof Refused ? thrown.message : noAnswer;
    }
  };
  return (
    <form class="form" onSubmit={submit}>
      <Field label={`Token of ${name}`} kind="secret" value={token} required />
      <p class="small">Used once to sign this browser in there, and not kept. A token with the scope read is enough.</p>
      <p class="problem" role="alert">
        {problem.value}
      </p>
      <button type="submit">Sign in</button>
    </form>
  );
}
