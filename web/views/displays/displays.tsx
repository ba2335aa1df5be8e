import type { ModulePayloads } from '@hostler/client/client.ts';
import { useSignal } from '@preact/signals';
import { Order } from '../../components/action-button.tsx';
import { Card } from '../../components/card.tsx';
import { Facts } from '../../components/fact-list.tsx';
import { Nothing, Unknown } from '../../components/reasons.tsx';
import { Slider } from '../../components/slider.tsx';
import { obstacle } from '../../state/availability.ts';
import { set } from '../../state/set.ts';
import { megahertz } from '../../units.ts';
import { LookAtDisplay } from './displays-screenshot.tsx';

type Display = ModulePayloads['displays'][number];

export function Displays({ data: displays }: { data: ModulePayloads['displays'] }) {
  if (displays.length === 0) return <Nothing module="displays" icon="display" />;
  return (
    <div class="cards">
      <Card title="Arrangement" icon="display" wide>
        <Arrangement displays={displays} />
        {displays.some(({ power }) => power !== null) ? <AllPower /> : null}
      </Card>
      {displays.map((display) => (
        <DisplayCard key={display.id} display={display} />
      ))}
    </div>
  );
}

function Arrangement({ displays }: { displays: readonly Display[] }) {
  const known = placed(displays.filter((each) => each.resolution_horizontal > 0 && each.resolution_vertical > 0));
  if (known.length === 0) return <p class="quiet">The positions of the displays are unknown.</p>;
  const left = Math.min(...known.map(({ x }) => x));
  const top = Math.min(...known.map(({ y }) => y));
  const width = Math.max(...known.map(({ x, resolution_horizontal }) => x + resolution_horizontal)) - left;
  const height = Math.max(...known.map(({ y, resolution_vertical }) => y + resolution_vertical)) - top;
  const share = (part: number, of: number) => `${(part / of) * 100}%`;
  return (
    <div class="desk" style={{ aspectRatio: `${width} / ${height}` }}>
      {known.map(({ id, name, x, y, resolution_horizontal, resolution_vertical, is_primary }) => (
        <div
          key={id}
          class={is_primary === true ? 'screen primary' : 'screen'}
          style={{
            left: share(x - left, width),
            top: share(y - top, height),
            width: share(resolution_horizontal, width),
            height: share(resolution_vertical, height),
          }}
        >
          <b>{name}</b>
          <span>
            {resolution_horizontal} × {resolution_vertical}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Without a desktop all have the same position: they are drawn side by side. Mirrored displays have the same size. */
function placed(displays: readonly Display[]): readonly Display[] {
  const covers = (a: Display, b: Display) =>
    a !== b &&
    a.x === b.x &&
    a.y === b.y &&
    (a.resolution_horizontal !== b.resolution_horizontal || a.resolution_vertical !== b.resolution_vertical);
  if (!displays.some((a) => displays.some((b) => covers(a, b)))) return displays;
  let x = 0;
  return displays.map((display) => {
    const at = x;
    x += display.resolution_horizontal;
    return { ...display, x: at, y: 0 };
  });
}

function DisplayCard({ display }: { display: Display }) {
  const { name, resolution_horizontal, resolution_vertical, width, height, refresh_rate, pixel_clock } = display;
  const facts: [string, string | null][] = [
    ['Resolution', resolution_horizontal === 0 ? null : `${resolution_horizontal} × ${resolution_vertical}`],
    ['Refresh rate', refresh_rate === null ? null : `${refresh_rate.toFixed(refresh_rate % 1 === 0 ? 0 : 2)} Hz`],
    ['Size', width && height ? `${width} × ${height} mm (${diagonal(width, height)})` : null],
    ['Pixel clock', pixel_clock === null ? null : megahertz(pixel_clock)],
    ['Position', `${display.x}, ${display.y}`],
    ['Output', display.id],
    ['Power', display.power],
  ];
  return (
    <Card title={name} figure={display.is_primary === true ? <span class="state">primary</span> : undefined}>
      <Facts of={facts} />
      <LevelSlider display={display} title="Brightness" event="DISPLAY_BRIGHTNESS" value={display.brightness} />
      <LevelSlider display={display} title="Contrast" event="DISPLAY_CONTRAST" value={display.contrast} />
      {display.inputs === null ? null : <InputChoice display={display} inputs={display.inputs} />}
      <Unknown module="displays" of={[['brightness', '[].brightness', display.brightness]]} />
      <div class="buttons">
        {display.power === null ? null : (
          <Order
            event="DISPLAY_POWER"
            data={{ display: display.id, on: display.power !== 'on' }}
            label={`${display.power === 'on' ? 'Turn off' : 'Turn on'} ${name}`}
            class={display.power === 'on' ? 'plain' : ''}
          >
            {display.power === 'on' ? 'Turn off' : 'Turn on'}
          </Order>
        )}
        <LookAtDisplay display={display.id} name={name} />
      </div>
    </Card>
  );
}

interface LevelProps {
  display: Display;
  title: string;
  event: string;
  value: number | null;
}

/** Its left end is 1: a display that has gone black by accident is hard to bring back. */
function LevelSlider({ display: { id, name }, title, event, value }: LevelProps) {
  if (value === null) return null;
  const data = (percent: number) => ({ display: id, percent: Math.max(1, percent) });
  return (
    <div class="brightness" title={obstacle(event) ?? undefined}>
      <span class="small level-title" aria-hidden="true">
        {title}
      </span>
      <Slider label={`${title} of ${name}`} spoken value={value} max={100} event={event} data={data} />
    </div>
  );
}

/** After a choice the monitor no longer shows this machine, so it takes a press of a button. */
function InputChoice({ display, inputs }: { display: Display; inputs: readonly string[] }) {
  const chosen = useSignal<string | null>(null);
  const reason = obstacle('DISPLAY_INPUT');
  const shown = chosen.value ?? display.input_source ?? '';
  return (
    <div class="brightness" title={reason ?? undefined}>
      <label class="input-choice">
        <span class="small level-title">Input</span>
        <select
          aria-label={`Input of ${display.name}`}
          disabled={reason !== null}
          value={shown}
          onChange={({ currentTarget: { value } }) => set(chosen, value)}
        >
          {inputs.map((input) => (
            <option key={input} value={input}>
              {input}
            </option>
          ))}
        </select>
      </label>
      <Order
        event="DISPLAY_INPUT"
        data={{ display: display.id, input: shown }}
        label={`Switch ${display.name} to ${shown}`}
        disabled={shown === (display.input_source ?? '')}
        class="plain"
      >
        Switch
      </Order>
    </div>
  );
}

/** Some desktops switch all of them together only. */
function AllPower() {
  return (
    <div class="buttons">
      <Order event="DISPLAY_POWER" data={{ on: false }} class="plain">
        Turn all off
      </Order>
      <Order event="DISPLAY_POWER" data={{ on: true }} class="plain">
        Turn all on
      </Order>
    </div>
  );
}

const diagonal = (width: number, height: number) => `${(Math.hypot(width, height) / 25.4).toFixed(1)}″`;
