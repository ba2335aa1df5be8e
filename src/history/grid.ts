import { joinSteps, type Step } from './steps.ts';

/** Values at regular times, computed from irregular samples. */
export interface Grid {
  from: number;
  to: number;
  stepMs: number;
  length: number;
}

export interface GridColumn {
  /** A value that covers a span of time ending before `end`; `at`: when a single sample was taken. */
  add(begin: number, end: number, step: Step, at?: number): void;
  mean(): (number | null)[];
  least(): (number | null)[];
  most(): (number | null)[];
  /** The highest value and the span of the first sample or step that has it; null: nothing was added. */
  peak(): Peak | null;
}

export interface Peak {
  begin: number;
  end: number;
  /** null: of several samples. */
  at: number | null;
  value: number;
}

export function createGrid(from: number, to: number, stepMs: number): Grid {
  const first = Math.floor(from / stepMs) * stepMs;
  const length = Math.max(1, Math.ceil((to - first) / stepMs));
  return { from: first, to: first + length * stepMs, stepMs, length };
}

export function createColumn({ from, stepMs, length }: Grid): GridColumn {
  const cells: (Step | undefined)[] = new Array(length);
  let peak: Peak | null = null;
  const put = (cell: number, step: Step) => {
    if (cell >= 0 && cell < length) cells[cell] = joinSteps(cells[cell] ?? null, step);
  };
  const values = (pick: (step: Step) => number) => () =>
    Array.from(cells, (cell) => (cell === undefined ? null : rounded(pick(cell))));
  return {
    add(begin, end, step, at) {
      const last = Math.floor((end - 1 - from) / stepMs);
      put(last, step);
      if (last >= 0 && last < length && (peak === null || step.most > peak.value))
        peak = { begin, end, at: at ?? null, value: step.most };
      // A grid finer than the samples repeats the value until the next one: a gap means that nothing was recorded.
      const first = Math.max(0, Math.ceil((begin - from) / stepMs));
      for (let cell = Math.min(last, length) - 1; cell >= first; cell -= 1)
        if (cells[cell] === undefined) put(cell, step);
    },
    mean: values(({ mean }) => mean),
    least: values(({ least }) => least),
    most: values(({ most }) => most),
    peak: () => (peak === null ? null : { ...peak, value: rounded(peak.value) }),
  };
}

/** To four digits; by text, as toPrecision does it, a month of values would take 15 ms longer. */
function rounded(value: number): number {
  const size = Math.abs(value);
  if (size < 1e-9) return 0;
  const factor = 10 ** (3 - Math.floor(Math.log10(size)));
  // For large numbers the factor is a fraction: multiplying by its reciprocal keeps integers exact.
  return factor >= 1 ? Math.round(value * factor) / factor : Math.round(value * factor) * Math.round(1 / factor);
}

/** Round steps, so that adjacent charts have the same. */
const niceSeconds = [15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400];
const goodLength = 300;

export function fittingStep(spanMs: number, leastMs: number): number {
  const wanted = Math.max(leastMs, spanMs / goodLength) / 1000;
  return (niceSeconds.find((seconds) => seconds >= wanted) ?? 86_400) * 1000;
}
