import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  LedgerRow,
  MigratedKind,
  MigrationEntry,
  MigrationLedger,
  ObjectCounts,
} from './ledger.ts'

/** Results of a migration over all runs. */
export interface MigrationReport {
  /** Number of objects at the target, by kind. */
  carried: Partial<Record<MigratedKind | 'comment', number>>
  /** Object counts of the migrated tasks. */
  counts: ObjectCounts
  /**
   * Problems. Failures are those of this run only, because objects that no longer exist at the source cannot be
   * repaired.
   */
  entries: MigrationEntry[]
}

export function reportOf(ledger: MigrationLedger): MigrationReport {
  const carried: MigrationReport['carried'] = {}
  const add = (kind: MigratedKind | 'comment', count: number) => {
    if (count > 0) carried[kind] = (carried[kind] ?? 0) + count
  }
  const counts = { frames: 0, tags: 0, shapes: 0, tracks: 0 }
  const rows = ledger.all()
  for (const { kind, noted } of rows) {
    add(kind, noted.to ? 1 : 0)
    if (kind === 'archive' && String(noted.to).startsWith('project')) add('project', 1)
    add('task', noted.tasks ?? 0)
    add('issue', noted.issues ?? 0)
    add('comment', noted.comments ?? 0)
    for (const key of ['frames', 'tags', 'shapes', 'tracks'] as const)
      counts[key] += noted.counts?.[key] ?? 0
  }
  return { carried, counts, entries: rows.flatMap(entriesOf) }
}

function entriesOf({
  kind,
  from,
  noted: { name = '', told = [] },
  isMet,
}: LedgerRow): MigrationEntry[] {
  const known = told.filter(({ what }) => isMet || what !== 'failed')
  return known.map((one) => ({ kind, from, name, ...one }))
}

/** Stores the report as JSON in the folder of the migration. @returns the path */
export async function writeReport(folder: string, report: MigrationReport): Promise<string> {
  const path = join(folder, 'report.json')
  await writeFile(`${path}.new`, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
  return path
}
