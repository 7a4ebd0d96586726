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
  return entries.map(({ kind, count, reason, examples: [example] }) => {
    const where = [example?.file, example?.item].filter(Boolean).join(', ')
    return `${title}: ${count} ${kind}: ${reason}${where ? ` (${where})` : ''}`
  })
}
