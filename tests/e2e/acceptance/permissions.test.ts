import { rightsOf } from '@reticle/codegen/operation-rights'
import { restOperations } from '@reticle/contracts'
import { startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atOnce } from '../../support/at-once.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'
import { chainCells, wrongAt } from '../permissions/cells.ts'
import { rows } from '../permissions/meaning.ts'
import { type Cell, memberCells } from '../permissions/member-cells.ts'
import { addressOf, probesOn, relationsByResource } from '../permissions/probes.ts'
import { findChain, makeWorlds, type PermissionWorld } from '../permissions/world.ts'

/**
 * The permission model, cell by cell: expectations of its table, calls over HTTP. See docs/spec/access.md#permissions.
 */

const store = await startS3()
let reticle: ServerUnderTest
let worlds: PermissionWorld[]
let chained: Cell[]
let walked = 0
const probed = new Set<string>()
const seen = new Set<string>()

beforeAll(async () => {
  reticle = await shareReticle()
  worlds = await makeWorlds(reticle, store)
  chained = chainCells(worlds)
}, 180_000)
afterAll(async () => {
  console.log(`the matrix of permissions: ${walked} cells`)
  await store.close()
})

async function wrongOf(cells: readonly Cell[], side = 8): Promise<string[]> {
  const found = await atOnce(side, cells, wrongAt)
  walked += cells.length
  for (const { row, probe } of cells) {
    seen.add(row)
    probed.add(probe.operation)
  }
  return found.filter((one) => one !== undefined)
}

describe('role x relation x workspace x action', () => {
  test.each(Object.keys(relationsByResource))(
    'permissions on %s match the table exactly',
    async (resource) => {
      const cells = chained.filter(({ row }) => row.startsWith(`${resource}:`))
      const side = resource === 'guide' ? 1 : 8 // saving a guide deletes assets that another call has just added
      expect(await wrongOf(cells, side)).toEqual([])
    },
    90_000,
  )

  test('an administrator may do everything in every workspace', async () => {
    const chains = worlds.flatMap(({ chains: [first] }) => first ?? [])
    const all = chains.flatMap(probesOn)
    const wrongAsAdmin = async (probe: (typeof all)[number]) => {
      const [method, address] = await addressOf(probe)
      const { status, body } = await reticle.admin.call(method, address, probe.sent)
      const isRight = probe.permitted === 'listed' ? body.count === 1 : status === probe.permitted
      walked += 1
      return isRight ? undefined : `${method} ${address}: ${status}`
    }
    const isOfGuide = ({ operation }: { operation: string }) => /Guide|Asset/.test(operation)
    const wrong = [
      ...(await atOnce(
        8,
        all.filter((probe) => !isOfGuide(probe)),
        wrongAsAdmin,
      )),
      ...(await atOnce(1, all.filter(isOfGuide), wrongAsAdmin)), // one call at a time, because saving a guide deletes new assets
    ]
    expect(wrong.filter(Boolean)).toEqual([])
  }, 90_000)

  test('lists of invitations contain those sent or received by the caller, and all of them for leaders', async () => {
    const { org, actors } = worlds.find((one) => one.org === 'matrix') ?? { org: '', actors: [] }
    const list = `/invitations?org=${org}&page_size=all`
    const { count: all } = await reticle.admin.done('GET', list)
    for (const { api, id, member, role } of actors.filter((one) => one.member !== 'outside')) {
      const { count, results } = await api.done('GET', list)
      const leads = role === 'user' && (member === 'owner' || member === 'maintainer')
      const own = results.filter(({ owner, user }: AnyJson) => owner.id === id || user.id === id)
      expect([member, role, count]).toEqual([member, role, leads ? all : own.length])
      walked += 1
    }
  })

  test('only the requester of an export and administrators can download its file', async () => {
    const [world] = worlds
    const owner = world?.actors.find(({ role }) => role === 'user')
    const chain = world && owner && findChain(world, owner, 'task owner')
    if (!chain) throw new Error('no actor owns a task')
    const address = `/tasks/${chain.task.id}/dataset/export?format=COCO%201.0`
    const { result_url } = await owner.api.finished(await owner.api.done('POST', address))
    const status = async (api: ApiClient) => (await api.call('GET', result_url)).status
    expect(await status(owner.api)).toBe(200)
    for (const { api } of world.actors.filter((one) => one !== owner))
      expect(await status(api)).toBe(403)
    expect(await status(reticle.admin)).toBe(200)
  })

  test('permissions on organizations, memberships and invitations match the table exactly', async () => {
    const lists = await memberCells(worlds, reticle.admin)
    const wrong = await atOnce(4, lists, async (cells) => {
      const found: string[] = []
      for (const cell of cells) found.push(...(await wrongOf([cell])))
      return found
    })
    expect(wrong.flat()).toEqual([])
  }, 90_000)
})

/**
 * Rows about operations that this server does not have. They must be tested once the first of these operations exists.
 */
const absent: Record<string, RegExp> = {
  'project: export annotations, dataset, backup': /^\/projects\/:id\/(?:dataset|backup)\/export/,
}

/** Rules beyond the table have separate tests. The other two are tested above or follow the same rule. */
const elsewhere = /^(?:request|webhook|user|access_token) /
const otherwise = ['listInvitations', 'getEvents']

test('every operation that has a row in the table has been called', () => {
  const named = Object.entries(rightsOf).filter(
    ([, rights]) => !rights.some((one) => elsewhere.test(one)),
  )
  const missing = named.map(([name]) => name).filter((name) => !probed.has(name))
  expect(missing.sort()).toEqual(otherwise.sort())
})

test('every row of the table has been tested, in at least 900 cells', () => {
  const isAbsent = (row: string) =>
    Object.entries(absent).some(
      ([name, route]) =>
        row.startsWith(name) && !restOperations.some((one) => route.test(one.path)),
    )
  expect([...rows.keys()].filter((row) => !seen.has(row) && !isAbsent(row))).toEqual([])
  expect(walked).toBeGreaterThan(900)
})
