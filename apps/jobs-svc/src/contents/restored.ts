import type { Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { dropRow, registerLive } from '../objects/repo.ts'
import { restoredPrefix } from '../operations/result-key.ts'
import { useToo } from './repo.ts'

type Tx = Transaction<RequestsDb>
type Restored = { task_id: number; prefix: string }

/**
 * The archive of a backup that was restored becomes media of its tasks: it lives as long as one of them, though the upload that
 * brought it ends here.
 */
export async function keepRestored(
  tx: Tx,
  row: RequestRow,
  restored: readonly Restored[] | undefined,
): Promise<void> {
  if (!restored || row.input_key === null) return
  const { org_id: organization_id, input_key } = row
  for (const { task_id, prefix: key } of restored)
    await registerLive(tx, { key, kind: 'media', task_id, organization_id })
  await useToo(
    tx,
    input_key,
    restored.map(({ prefix }) => prefix),
  )
  // It stood for all that lies below it, which has rows of its own now.
  await dropRow(tx, restoredPrefix(row))
}
