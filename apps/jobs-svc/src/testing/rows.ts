import { randomUUID } from 'node:crypto'
import { callAs } from '@reticle/kit/testing/call'
import type { Kysely } from 'kysely'
import { expect, vi } from 'vitest'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import type { NewRequest } from '../requests/repo.ts'

/** Inserts a queued export of user 1 with the given differences; `created` orders requests by seconds. */
export async function addRequest(
  db: Kysely<RequestsDb>,
  given: Partial<NewRequest> & { created?: number } = {},
): Promise<RequestRow> {
  const { created = 0, ...row } = given
  const request_uuid = randomUUID()
  const tenant = String(row.tenant ?? 'user:1')
  await db
    .insertInto('tenant_turns')
    .values({ tenant })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return db
    .insertInto('requests')
    .values({
      request_uuid,
      rq_id: `action=export&n=${request_uuid}`,
      action: 'export',
      target: 'task',
      target_id: 1,
      task_id: 1,
      subresource: 'annotations',
      format: 'COCO 1.0',
      params: JSON.stringify({ format: 'COCO 1.0', save_images: false, filename: 'a.zip' }),
      owner_id: 1,
      principal: JSON.stringify(callAs({ user_id: 1 }).principal),
      tenant,
      status: 'queued',
      created_date: new Date(Date.UTC(2026, 0, 1, 0, 0, created)),
      ...row,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export function readRequest(db: Kysely<RequestsDb>, { request_uuid }: { request_uuid: string }) {
  return db
    .selectFrom('requests')
    .selectAll()
    .where('request_uuid', '=', request_uuid)
    .executeTakeFirstOrThrow()
}

/** Waits until a request has the expected values. */
export async function untilRequest(
  db: Kysely<RequestsDb>,
  row: RequestRow,
  expected: Partial<RequestRow>,
  patience: { timeout: number; interval: number },
): Promise<RequestRow> {
  const isAsExpected = async () => expect(await readRequest(db, row)).toMatchObject(expected)
  await vi.waitFor(isAsExpected, patience)
  return readRequest(db, row)
}

/** Returns the state of an object: pending, live or dead; undefined for an unknown one. */
export async function blobState(db: Kysely<RequestsDb>, key: string): Promise<string | undefined> {
  const found = await db.selectFrom('blobs').select('state').where('key', '=', key).execute()
  return found[0]?.state
}
