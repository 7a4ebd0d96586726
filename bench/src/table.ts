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
  const rows = figures.map(
    ({ id, what, seen, target, holds }) =>
      `| ${id} | ${what} | ${seen} | ${target} | ${holds ? 'yes' : '**no**'} |`,
  )
  return ['| # | What | Seen | Target | Holds |', '|---|---|---|---|---|', ...rows].join('\n')
}
