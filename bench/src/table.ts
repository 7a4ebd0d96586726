/** One figure of `docs/performance.md`; `id` is that of its target. */
export interface Figure {
  id: string
  what: string
  seen: string
  target: string
  holds: boolean
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

export function tableOf(figures: Figure[]): string {
  return [
    '| # | What | Seen | Target | Holds |',
    '|---|---|---|---|---|',
    ...figures.map(rowOf),
  ].join('\n')
}

/** A line of the table. */
export const rowOf = ({ id, what, seen, target, holds }: Figure) =>
  `| ${id} | ${what} | ${seen} | ${target} | ${holds ? 'yes' : '**no**'} |`

/** A table with the rows of these figures replaced, or added to its end. */
export function withRows(table: string, figures: readonly Figure[]): string {
  const headOf = ({ id, what }: Figure) => `| ${id} | ${what} |`
  const isNew = (line: string) => !figures.some((figure) => line.startsWith(headOf(figure)))
  const lines = table.trimEnd().split('\n').filter(isNew)
  return [...lines, ...figures.map(rowOf), ''].join('\n')
}
