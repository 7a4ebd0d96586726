/** Report of an import or export, from a server or a converter. */
export interface PrintedReport {
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

/** Returns a line per entry of a report. */
export function formatReport(report: PrintedReport | null, title: string): string[] {
  const entries = report?.entries ?? []
  return entries.map(({ kind, count, reason, examples }) => {
    const locations = examples.map(({ file, item }) => [file, item].filter(Boolean).join(', '))
    const where = joinSome(locations.filter(Boolean), count)
    return `${title}: ${count} ${kind}: ${reason}${where ? ` (${where})` : ''}`
  })
}

/** Maximum number of examples of an entry. */
const shown = 5

/** Returns the counts of losses: `2 skipped, 1 dropped`; empty if there are none. */
export function formatLosses(report: PrintedReport | null): string {
  if (!report) return ''
  return (['skipped', 'converted', 'dropped'] as const)
    .flatMap((kind) => (report[kind] > 0 ? [`${report[kind]} ${kind}`] : []))
    .join(', ')
}

/** Joins the first names, with an ellipsis if there are more. */
export function joinSome(names: readonly string[], count = names.length): string {
  const first = [...new Set(names)].slice(0, shown)
  return first.join('; ') + (first.length > 0 && count > first.length ? '; ...' : '')
}
