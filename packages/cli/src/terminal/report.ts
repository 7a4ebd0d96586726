/** As the reports of imports and exports come, from a server or from a converter. */
export interface ToldReport {
  skipped: number
  converted: number
  dropped: number
  entries: readonly {
    kind: string
    code: string
    count: number
    reason: string
    examples: readonly { file?: string | null | undefined; item?: string | null | undefined }[]
  }[]
}

/** What did not go through as it was, a line for each reason. */
export function reportLines(report: ToldReport | null, title: string): string[] {
  const entries = report?.entries ?? []
  return entries.map(({ kind, count, reason, examples }) => {
    const places = examples.map(({ file, item }) => [file, item].filter(Boolean).join(', '))
    const where = someOf(places.filter(Boolean), count)
    return `${title}: ${count} ${kind}: ${reason}${where ? ` (${where})` : ''}`
  })
}

/** Examples that an entry of a report has at most. */
const shown = 5

/** Counts of the losses: `2 skipped, 1 dropped`; empty if there are none. */
export function lossText(report: ToldReport | null): string {
  if (!report) return ''
  return (['skipped', 'converted', 'dropped'] as const)
    .flatMap((kind) => (report[kind] > 0 ? [`${report[kind]} ${kind}`] : []))
    .join(', ')
}

/** The first of them, and a sign where there are more. */
export function someOf(names: readonly string[], count = names.length): string {
  const first = [...new Set(names)].slice(0, shown)
  return first.join('; ') + (first.length > 0 && count > first.length ? '; ...' : '')
}
