import { Card } from '../../components/card.tsx';
import { Icon } from '../../components/icon.tsx';
import { When } from '../../components/time.tsx';
import { attempt } from '../../shell/announcements.tsx';
import { pauseControl, pausedControl, resumeControl } from '../../state/status.ts';

/** Blocks all changes for a while: by clients, agents, and this page. */
export function PauseCard() {
  const paused = pausedControl.value;
  return (
    <Card title="Control" icon="lock" wide>
      <p>
        {paused === null
          ? 'Clients and agents can act on this machine as their tokens allow.'
          : 'Control is paused: every action of every client is refused. Reading is still possible.'}
      </p>
      {paused === null ? (
        <p class="buttons">
          <button type="button" onClick={() => attempt(() => pauseControl(3600))}>
            <Icon name="pause" /> Pause for 1 hour
          </button>
          <button type="button" class="plain" onClick={() => attempt(() => pauseControl(null))}>
            Pause until resumed
          </button>
        </p>
      ) : (
        <p class="buttons">
          <button type="button" onClick={() => attempt(resumeControl)}>
            <Icon name="play" /> Resume control
          </button>
          <span class="quiet">
            Paused <When at={paused.since} /> with the token {paused.by}
          </span>
        </p>
      )}
    </Card>
  );
}
