import { setTimeout as sleep } from 'node:timers/promises'
import type { TestReceiver } from '@reticle/kit/testing/receiver'
import { expect } from 'vitest'
import type { AnyJson, ApiClient } from '../support/client.ts'
import type { ClusterLoad } from './load.ts'

/** Waits until everything works again, and checks that no acknowledged write is missing or was applied twice. */
export async function expectSettled(
  api: ApiClient,
  { ledger, task, project }: ClusterLoad,
  receiver: TestReceiver,
): Promise<void> {
  expect(ledger.wrong).toEqual([])
  await expectProjects(api, ledger)
  await expectShapes(api, ledger, task)
  await expectDeliveries(api, ledger, project, receiver)
  for (const id of new Set(ledger.exports)) {
    expect((await api.ended(id)).status, `the request ${id}`).toBe('finished')
  }
}

async function expectProjects(
  api: ApiClient,
  { requested, created }: ClusterLoad['ledger'],
): Promise<void> {
  const names: string[] = []
  for (let page = 1, isMore = true; isMore; page++) {
    const list = await api.done('GET', `/projects?page_size=500&page=${page}&sort=id`)
    names.push(...list.results.map((one: AnyJson) => one.name))
    isMore = list.next !== null
  }
  const own = names.filter((name) => requested.has(name))
  expect([...created].filter((name) => !own.includes(name))).toEqual([])
  expect(own.length, 'projects created twice').toBe(new Set(own).size)
}

async function expectShapes(
  api: ApiClient,
  { drawn }: ClusterLoad['ledger'],
  task: AnyJson,
): Promise<void> {
  const { shapes } = await api.done('GET', `/tasks/${task.id}/annotations/`)
  const groups: number[] = shapes.map((shape: AnyJson) => shape.group)
  const known = new Set(groups)
  expect([...drawn.acknowledged].filter((group) => !known.has(group))).toEqual([])
  expect(groups.length, 'shapes drawn twice').toBe(known.size)
}

const patienceMs = 90_000

/**
 * Checks that every acknowledged change of the watched project was delivered, and that each delivery is one of its
 * changes.
 */
async function expectDeliveries(
  api: ApiClient,
  { renamed }: ClusterLoad['ledger'],
  project: AnyJson,
  { received }: TestReceiver,
): Promise<void> {
  const arrived: string[] = []
  const missing = () => {
    // each body is parsed only once, because the receiver shares this event loop
    for (const { body } of received.slice(arrived.length))
      arrived.push(nameOf(body.toString('utf8')))
    const known = new Set(arrived)
    return renamed.filter((name) => !known.has(name))
  }
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(200)) {
    if (missing().length === 0) break
  }
  expect(missing(), `webhooks of project ${project.id}`).toEqual([])
  const byId = new Map<unknown, string>()
  for (const { headers, body } of received) {
    const id = headers['webhook-id']
    const known = byId.get(id) ?? body.toString('utf8')
    expect(body.toString('utf8'), 'one id, one body').toBe(known)
    byId.set(id, known)
  }
  const names = [...byId.values()].map(nameOf)
  expect(names.length, 'a change was sent under two ids').toBe(new Set(names).size)
  expect((await api.call('GET', '/server/health')).status).toBe(200)
}

const nameOf = (body: string): string => JSON.parse(body).project?.name
