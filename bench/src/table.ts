/** One figure of `docs/performance.md`. Only ratios are judged; the others tell what was seen. */
export interface Figure {
  id: string
  what: string
  seen: string
  target: string
  holds: boolean
}

export function ratioFigure(
  id: string,
  what: string,
  { limit, subject, ratio }: { limit: number; subject: number; ratio: number },
  most: number,
): Figure {
  const seen = `${ratio.toFixed(2)} (${subject.toFixed(0)} ms / ${limit.toFixed(0)} ms)`
  return { id, what, seen, target: `<= ${most}`, holds: ratio <= most }
}

export function tableOf(figures: Figure[]): string {
  return [
    '| # | What | Seen | Target | Holds |',
    '|---|---|---|---|---|',
    ...figures.map(rowOf),
  ].join('\n')
}

const rowOf = ({ id, what, seen, target, holds }: Figure) =>
  `| ${id} | ${what} | ${seen} | ${target} | ${holds ? 'yes' : '**no**'} |`

/** A table with the rows of these figures replaced, or added to its end. */
export function withRows(table: string, figures: readonly Figure[]): string {
  const headOf = ({ id, what }: Figure) => `| ${id} | ${what} |`
  const isNew = (line: string) => !figures.some((figure) => line.startsWith(headOf(figure)))
  const lines = table.trimEnd().split('\n').filter(isNew)
  return [...lines, ...figures.map(rowOf), ''].join('\n')
}
