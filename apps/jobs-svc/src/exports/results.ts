import type { resultFile } from '@reticle/contracts/rest/requests'
import { type Context, invalidText, notFound } from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { type Authority, assertMay } from '../requests/access.ts'
import { extendLife, findEverPosted } from '../requests/repo.ts'
import { exportParams, type Target } from '../requests/work.ts'

interface Deps {
  db: Kysely<RequestsDb>
  authority: Authority
  resultTtlHours: number
}

interface Wanted {
  target: Target
  id: number
  rq_id?: string
}

/**
 * The file of a finished export, for its owner and administrators; using it prolongs its life
 * (`spec/api-annotations.md` 2.2, with its texts).
 */
export async function getResultFile(
  { db, authority, resultTtlHours }: Deps,
  { target, id, rq_id }: Wanted,
  context: Context,
): Promise<z.infer<typeof resultFile>> {
  if (rq_id === undefined || rq_id === '') throw invalidText('rq_id was not provided')
  const row = await findEverPosted(db, rq_id)
  if (row?.action !== 'export') throw invalidText('Unknown export request id')
  await assertMay(authority, 'download', row, context)
  if (row.target !== target || row.target_id !== id)
    throw invalidText(`This request is no export of ${target} ${id}`)
  if (isExpired(row)) throw expired()
  if (row.status !== 'finished' || row.finished_date === null)
    throw invalidText('The export process is not finished', 'request_not_finished')
  if (row.result_key === null || row.result_size === null) throw expired()

  await extendLife(db, row, resultTtlHours * 3600)
  return {
    key: row.result_key,
    size: row.result_size,
    filename: exportParams.parse(row.params).filename,
    etag: `"${row.result_key.split('/').slice(-2).join('-')}"`,
    media_type: 'application/zip',
    finished_date: row.finished_date.toISOString(),
  }
}

const isExpired = ({ expiry_date }: RequestRow) =>
  expiry_date !== null && expiry_date.getTime() <= Date.now()

const expired = () =>
  notFound('The exported file has expired, please retry exporting', 'result_expired')
