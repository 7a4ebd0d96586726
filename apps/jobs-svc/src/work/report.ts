import type { RequestReport } from '@reticle/contracts/rest/requests'
import { createReport, type ReportWriter } from '@reticle/formats/report/conversion-report'

/** Converts the notes of a conversion to the report in the record of its request. */
export function toReport(writer: ReportWriter): RequestReport {
  const { entries, ...totals } = writer.read()
  const shown = entries.map((entry) => ({
    ...entry,
    examples: entry.examples.map(({ file = '', item = '' }) => ({ file, item })),
  }))
  return { ...totals, entries: shown }
}

const reports = new WeakMap<Error, ReportWriter>()

/** Runs an operation with a new report. When it fails, `reportBefore` returns the entries noted until then. */
export async function withReport<T>(run: (report: ReportWriter) => Promise<T>): Promise<T> {
  const report = createReport()
  try {
    return await run(report)
  } catch (thrown) {
    if (thrown instanceof Error) reports.set(thrown, report)
    throw thrown
  }
}

/**
 * Returns the entries that an operation noted before it threw this error, with nothing created. Undefined: it keeps no
 * report.
 */
export function reportBefore(thrown: unknown): RequestReport | undefined {
  const writer = thrown instanceof Error ? reports.get(thrown) : undefined
  return writer && { ...toReport(writer), created: { tags: 0, shapes: 0, tracks: 0 } }
}

/** Reports a file that does not become a frame. */
export const ignore = (report: ReportWriter, file: string, reason: string) =>
  report.note('skipped', 'ignored-file', reason, { file })
