import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../../db/migrations/index.ts'
import type { RequestsDb } from '../../db/schema.ts'
import { requestHandlers } from '../../server.ts'
import { insertContents, useContents } from '../../storage/repo-contents.ts'
import { authorityOf, noOthers } from '../../testing/services.ts'
import { settingsOf } from '../../testing/settings.ts'

/** Files with an announced checksum. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const ofNobody = factsOf({ size: 0, jobs: [], organization_id: null })
const ofOne = factsOf({ size: 0, jobs: [], organization_id: 7 })
const tasks = authorityOf([
  { target: 'task', id: 1, user_id: 1, facts: ofNobody },
  { target: 'task', id: 1, user_id: 2, facts: ofNobody },
  { target: 'task', id: 2, user_id: 1, facts: ofOne },
  { target: 'task', id: 2, user_id: 2, facts: ofOne },
])
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks, annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const [anna, bob] = [callAs({ user_id: 1 }), callAs({ user_id: 2 })]
const sha256 = 'a'.repeat(64)

beforeEach(async () => {
  await sql`truncate requests, blobs, uploads, outbox, contents, content_uses cascade`.execute(db)
})

/** Stores a file of ten bytes with that checksum for a tenant. */
const stored = (tenant: string, key: string) =>
  db.transaction().execute(async (tx) => {
    const keeper = { tenant, prefix: `${key}/` }
    await insertContents(tx, keeper, [{ key, size: 10, sha256 }])
    await useContents(tx, keeper, [{ key, size: 10, sha256 }])
  })
const files = () => db.selectFrom('uploaded_files').selectAll().execute()

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)
  const aim = (id: number) => ({ purpose: 'data', target: 'task', id }) as const
  const create = (id: number, by = anna, given: { length?: number; sha256?: string } = {}) =>
    calls.createFile({ ...aim(id), name: 'a.zip', length: 10, sha256, ...given }, by)
  const sent = async (file_id: string, sum?: string) => {
    const named = { ...aim(1), file_id }
    const { lease = '', is_checked } = await calls.openChunk(
      { ...named, offset: 0, bytes: 10 },
      anna,
    )
    const note = { file_id, lease, offset: 10, is_over: true, sha256: sum }
    return { is_checked, ...(await calls.noteChunk(note, anna)) }
  }

  test('a file that the tenant has already is complete at once and part of the session', async () => {
    await stored('user:1', 'up/a')
    await stored('org:7', 'up/o')
    const { file_id, offset } = await create(1)
    expect(offset).toBe(10)
    const asked = calls.findFile({ ...aim(1), file_id }, anna)
    await expect(asked).rejects.toMatchObject({ kind: 'not_found', code: 'upload_complete' })
    expect((await create(2, bob)).offset).toBe(10)
    expect((await files()).map(({ key, sha256: sum }) => [key, sum])).toEqual([
      ['up/a', sha256],
      ['up/o', sha256],
    ])
  })

  test.each([
    ['of another person', 1, 'user:2', {}],
    ['of an organization, in the sandbox', 1, 'org:7', {}],
    ['of the sandbox, in an organization', 2, 'user:1', {}],
    ['of another size', 1, 'user:1', { length: 11 }],
    ['of another sum', 1, 'user:1', { sha256: 'b'.repeat(64) }],
  ])('a file %s is uploaded like any other', async (_, id, tenant, given) => {
    await stored(tenant, 'up/a')
    expect((await create(id, anna, given)).offset).toBeUndefined()
    const uses = await db.selectFrom('content_uses').select('prefix').execute()
    expect(uses).toEqual([{ prefix: 'up/a/' }])
  })

  test('a file with the announced checksum is accepted, and its checksum is stored', async () => {
    const { file_id } = await create(1)
    expect(await sent(file_id, sha256)).toMatchObject({ is_checked: true, offset: 10 })
    expect(await files()).toMatchObject([{ offset: 10, sha256 }])
  })

  test('a file with another checksum is refused at its end and deleted', async () => {
    const { file_id } = await create(1)
    expect(await sent(file_id, 'b'.repeat(64))).toMatchObject({ is_refused: true })
    expect(await files()).toEqual([])
    const asked = calls.findFile({ ...aim(1), file_id }, anna)
    await expect(asked).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a file without an announced checksum is not verified', async () => {
    const { file_id } = await calls.createFile({ ...aim(1), name: 'a', length: 10 }, anna)
    const answer = await sent(file_id)
    expect([answer.is_checked, answer.is_refused]).toEqual([undefined, undefined])
    expect(await files()).toMatchObject([{ offset: 10, sha256: null }])
  })
})
