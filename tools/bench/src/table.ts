/** One figure of `docs/performance.md`; `id` is that of its target. */
export interface BenchFigure {
  id: string
  what: string
  seen: string
  target: string
  holds: boolean
  /** For a format, the cells between its name and `Holds` in the table of formats. */
  moved?: readonly string[]
}

/** Creates a figure in MiB or milliseconds with an upper limit. */
export function boundFigure(
  id: string,
  what: string,
  values: readonly number[],
  { most, unit }: { most: number; unit: string },
): BenchFigure {
  const seen = `${values.map((value) => value.toFixed(0)).join(' / ')} ${unit}`
  return { id, what, seen, target: `<= ${most} ${unit}`, holds: Math.max(...values) <= most }
}

export function ratioFigure(
  id: string,
  what: string,
  { limit, subject, ratio }: { limit: number; subject: number; ratio: number },
  most: number,
): BenchFigure {
  const digits = limit < 100 ? 1 : 0
  const times = [subject, limit].map((ms) => `${ms.toFixed(digits)} ms`)
  const seen = `${ratio.toFixed(2)} (${times.join(' / ')})`
  return { id, what, seen, target: `<= ${most}`, holds: ratio <= most }
}

/** Creates a figure of the subject's speed relative to the limit, with a lower bound. */
export function shareFigure(
  id: string,
  what: string,
  { limit, subject, ratio }: { limit: number; subject: number; ratio: number },
  least: number,
): BenchFigure {
  const share = 1 / ratio
  const seen = `${share.toFixed(2)} (${[subject, limit].map((ms) => `${ms.toFixed(0)} ms`).join(' / ')})`
  return { id, what, seen, target: `>= ${least}`, holds: share >= least }
}

/** The tables of `docs/performance.md`: numbered targets of both modes, formats, and other figures of each mode. */
export type Table = 'targets' | 'formats' | 'embedded' | 'split'

const headingOf = (...names: string[]) => [names, names.map(() => '---')]
const ofMode = headingOf('#', 'What', 'Seen', 'Target', 'Holds')

/** The first two lines of each table. */
export const headings: Record<Table, string[][]> = {
  targets: headingOf('#', 'Mode', 'What', 'Seen', 'Target', 'Holds'),
  formats: headingOf('Format', ...formatColumns('Export'), ...formatColumns('Import'), 'Holds'),
  embedded: ofMode,
  split: ofMode,
}

function formatColumns(way: string): string[] {
  return [`${way} of 100,000 / 1,000,000, s`, 'Times', 'Times psql', 'Growth, MiB']
}

/** Returns the table of a figure. */
export function findTable({ id, moved }: BenchFigure, mode: string): Table {
  if (moved) return 'formats'
  if (/^P\d+$/.test(id)) return 'targets'
  return mode === 'split' ? 'split' : 'embedded'
}

/** Returns the cells of a figure in its table. */
export function cellsOf(figure: BenchFigure, mode: string): string[] {
  const { id, what, seen, target, holds, moved } = figure
  const verdict = holds ? 'yes' : '**no**'
  if (moved) return [what, ...moved, verdict]
  const rest = [what, seen, target, verdict]
  return findTable(figure, mode) === 'targets' ? [id, mode, ...rest] : [id, ...rest]
}

/** Formats figures as a table for the terminal. */
export const tableOf = (figures: readonly BenchFigure[]): string =>
  [...ofMode.map((cells) => `| ${cells.join(' | ')} |`), ...figures.map(rowOf)].join('\n')

/** Formats a line of that table. */
export const rowOf = ({ id, what, seen, target, holds }: BenchFigure) =>
  `| ${id} | ${what} | ${seen} | ${target} | ${holds ? 'yes' : '**no**'} |`
