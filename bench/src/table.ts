/** One figure of `docs/performance.md`; `id` is that of its target. */
export interface Figure {
  id: string
  what: string
  seen: string
  target: string
  holds: boolean
  /** Of a format: what stands between its name and `Holds` in the table of formats. */
  moved?: readonly string[]
}

/** MiB or milliseconds of which there may be at most so many. */
export function boundFigure(
  id: string,
  what: string,
  values: readonly number[],
  { most, unit }: { most: number; unit: string },
): Figure {
  const seen = `${values.map((value) => value.toFixed(0)).join(' / ')} ${unit}`
  return { id, what, seen, target: `<= ${most} ${unit}`, holds: Math.max(...values) <= most }
}

export function ratioFigure(
  id: string,
  what: string,
  { limit, subject, ratio }: { limit: number; subject: number; ratio: number },
  most: number,
): Figure {
  const digits = limit < 100 ? 1 : 0
  const times = [subject, limit].map((ms) => `${ms.toFixed(digits)} ms`)
  const seen = `${ratio.toFixed(2)} (${times.join(' / ')})`
  return { id, what, seen, target: `<= ${most}`, holds: ratio <= most }
}

/** How fast the subject is for a limit of 1: at least so much. */
export function shareFigure(
  id: string,
  what: string,
  { limit, subject, ratio }: { limit: number; subject: number; ratio: number },
  least: number,
): Figure {
  const share = 1 / ratio
  const seen = `${share.toFixed(2)} (${[subject, limit].map((ms) => `${ms.toFixed(0)} ms`).join(' / ')})`
  return { id, what, seen, target: `>= ${least}`, holds: share >= least }
}

/** The tables of `docs/performance.md`: numbered targets of both modes, formats, and what else was measured in each mode. */
export type Table = 'targets' | 'formats' | 'embedded' | 'split'

const headingOf = (...names: string[]) => [names, names.map(() => '---')]
const ofMode = headingOf('#', 'What', 'Seen', 'Target', 'Holds')

/** The first two lines of each. */
export const headings: Record<Table, string[][]> = {
  targets: headingOf('#', 'Mode', 'What', 'Seen', 'Target', 'Holds'),
  formats: headingOf('Format', ...formatColumns('Export'), ...formatColumns('Import'), 'Holds'),
  embedded: ofMode,
  split: ofMode,
}

function formatColumns(way: string): string[] {
  return [`${way} of 100,000 / 1,000,000, s`, 'Times', 'Times psql', 'Growth, MiB']
}

/** The table that a figure stands in. */
export function placeOf({ id, moved }: Figure, mode: string): Table {
  if (moved) return 'formats'
  if (/^P\d+$/.test(id)) return 'targets'
  return mode === 'split' ? 'split' : 'embedded'
}

/** The row of a figure in its table. */
export function cellsOf(figure: Figure, mode: string): string[] {
  const { id, what, seen, target, holds, moved } = figure
  const told = holds ? 'yes' : '**no**'
  if (moved) return [what, ...moved, told]
  const rest = [what, seen, target, told]
  return placeOf(figure, mode) === 'targets' ? [id, mode, ...rest] : [id, ...rest]
}

/** A table of figures on the terminal. */
export const tableOf = (figures: readonly Figure[]): string =>
  [...ofMode.map((cells) => `| ${cells.join(' | ')} |`), ...figures.map(rowOf)].join('\n')

/** A line of that table. */
export const rowOf = ({ id, what, seen, target, holds }: Figure) =>
  `| ${id} | ${what} | ${seen} | ${target} | ${holds ? 'yes' : '**no**'} |`
