import { beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import {
  basicOf,
  createUserFactory,
  type RegisteredUser,
  type TestOrganization,
} from '../../support/people.ts'
import { annotationFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/**
 * Records of requests: lists, visibility, cancellation and event streams. See docs/spec/requests.md#request-records.
 */

let reticle: ServerUnderTest
let organization: TestOrganization
let owner: RegisteredUser
const { newPerson, newOrganization, newMember } = createUserFactory(() => reticle)
let project: AnyJson
let task: AnyJson
let alone: AnyJson
beforeAll(async () => {
  reticle = await shareReticle()
  organization = await newOrganization()
  owner = organization.owner
  project = await owner.api.done('POST', `/projects?org=${organization.slug}`, {
    json: { name: 'p', labels: [{ name: 'car' }] },
  })
  task = await taskWithMedia(owner.api, { project_id: project.id })
  alone = await taskWithMedia(owner.api)
  await owner.api.finished(await exportOf(task))
  await owner.api.finished(await exportOf(alone))
  const form = annotationFile('{"images":[],"annotations":[],"categories":[]}', 'a.json')
  const at = `/tasks/${task.id}/annotations/?format=COCO%201.0`
  await owner.api.ended((await owner.api.done('POST', at, { form })).rq_id)
}, 60_000)

const exportOf = ({ id }: AnyJson, query = '', api = owner.api): Promise<AnyJson> =>
  api.done('POST', `/tasks/${id}/dataset/export?format=COCO%201.0${query}`)
const idsOf = async (query: string, { api } = owner) =>
  (await api.done('GET', `/requests?page_size=100${query}`)).results
    .map(({ id }: AnyJson) => id)
    .sort()
const address = (id: string, rest = '') => `/requests/${encodeURIComponent(id)}${rest}`

describe('requests', () => {
  test.each([
    ['status=finished', 5],
    ['status=queued', 0],
    ['action=export', 2],
    ['action=create', 2],
    ['target=task', 5],
    ['target=job', 0],
    ['subresource=annotations', 3],
    ['format=COCO%201.0', 3],
    ['project_id=PROJECT', 3],
    ['task_id=ALONE', 2],
    ['job_id=1', 0],
    ['org=SLUG', 3],
    ['org=', 2],
    ['org_id=ORG', 3],
  ])('requests can be filtered by %s', async (words, count) => {
    const query = words
      .replace('PROJECT', project.id)
      .replace('ALONE', alone.id)
      .replace('SLUG', organization.slug)
      .replace('ORG', String(organization.id))
    expect((await idsOf(`&${query}`)).length).toBe(count)
  })

  test('a list of requests contains only those of the caller', async () => {
    const member = await newMember(organization, 'maintainer')
    expect(await idsOf('', member)).toEqual([])
    const [own] = await idsOf('&action=export')
    expect((await member.api.call('GET', address(own))).status).toBe(403)
    const [creation] = await idsOf(`&action=create&task_id=${task.id}`)
    expect((await member.api.call('GET', address(creation))).status).toBe(200)
    expect((await member.api.call('POST', address(creation, '/cancel'))).status).toBe(403)
  })

  test('a restore is visible only to its requester and administrators, in any organization', async () => {
    const form = new FormData()
    form.append('backup_file', new Blob(['no archive']), 'a.zip')
    const at = `/projects/backup/?org=${organization.slug}`
    const { rq_id } = await owner.api.done('POST', at, { form })
    const record = await owner.api.ended(rq_id)
    expect(record).toMatchObject({ status: 'failed', operation: { type: 'import:backup' } })
    expect(record.message).not.toBe('')
    const member = await newMember(organization, 'maintainer')
    expect((await member.api.call('GET', address(rq_id))).status).toBe(403)
    expect((await member.api.call('POST', address(rq_id, '/cancel'))).status).toBe(403)
    expect((await reticle.admin.call('GET', address(rq_id))).status).toBe(200)
  })

  test('a request is hidden from strangers, and its record may not be cached', async () => {
    const stranger = await newPerson()
    for (const action of ['export', 'import', 'create']) {
      const [id] = await idsOf(`&action=${action}&task_id=${task.id}`)
      expect((await stranger.api.call('GET', address(id))).status).toBe(403)
      const { status, headers } = await owner.api.call('GET', address(id))
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    }
    const unknown = 'action=import&target=task&target_id=999999&subresource=annotations'
    expect((await owner.api.call('GET', address(unknown))).status).toBe(404)
    expect((await owner.api.call('POST', address(unknown, '/cancel'))).status).toBe(404)
  })

  test('a cancelled request has no result, and other requests finish', async () => {
    const wishes = Array.from({ length: 12 }, (_, at) => `&save_images=true&min_score=0.${at + 10}`)
    const started = await Promise.all(wishes.map((query) => exportOf(task, query)))
    const last = started.at(-1).rq_id
    const { status, text } = await owner.api.call('POST', address(last, '/cancel'))
    expect([status, text]).toEqual([200, ''])
    const record = await owner.api.done('GET', address(last))
    expect(record).toMatchObject({ status: 'failed', message: 'Cancelled', result_url: null })
    for (const one of started.slice(0, -1)) await owner.api.finished(one)
  })

  test('a request that has ended cannot be cancelled', async () => {
    const [ended] = await idsOf('&action=export')
    const { status, body } = await owner.api.call('POST', address(ended, '/cancel'))
    expect([status, body]).toEqual([400, [expect.stringContaining('this one is finished')]])
  })
})

/** Records of a stream in the order of arrival. */
async function* eventsOf(rest: string, by = owner): AsyncGenerator<AnyJson> {
  const left = new AbortController()
  const headers = { authorization: basicOf(by.username) }
  const answer = await fetch(`${by.api.api}${rest}`, { headers, signal: left.signal })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  let text = ''
  try {
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const events = (text + piece).split('\n\n')
      text = events.pop() ?? ''
      for (const event of events) {
        const [, data] = /^event: request\nid: .*\ndata: (.*)$/.exec(event) ?? []
        if (data) yield JSON.parse(data)
      }
    }
  } finally {
    left.abort()
  }
}

describe('event streams of requests', () => {
  test('the stream of a request reports growing progress and ends with the final record', async () => {
    const { rq_id } = await exportOf(task, '&min_score=0.75')
    const seen: AnyJson[] = []
    for await (const record of eventsOf(address(rq_id, '/stream'))) seen.push(record)
    expect(seen.every(({ id }) => id === rq_id)).toBe(true)
    expect(seen.at(-1)).toEqual(await owner.api.done('GET', address(rq_id)))
    expect(seen.at(-1).status).toBe('finished')
    const shares = seen.map(({ progress }) => progress)
    expect(shares).toEqual([...shares].sort((one, next) => one - next))
  })

  test('the stream of a request that has ended reports its state and ends', async () => {
    const [ended] = await idsOf(`&action=create&task_id=${task.id}`)
    const seen: AnyJson[] = []
    for await (const record of eventsOf(address(ended, '/stream'))) seen.push(record)
    expect(seen.map(({ status }) => status)).toEqual(['finished'])
  })

  test('the stream of all requests reports only requests of the caller', async () => {
    const other = await newMember(organization, 'maintainer')
    const events = eventsOf('/requests/stream')
    const first = events.next()
    const foreign = await exportOf(task, '', other.api)
    const { rq_id } = await exportOf(task, '&min_score=0.85')
    const seen = new Set<string>()
    let next = await first
    for (; !next.done; next = await events.next()) {
      seen.add(next.value.id)
      if (next.value.id === rq_id && next.value.status === 'finished') break
    }
    expect(seen.has(foreign.rq_id)).toBe(false)
    await events.return(undefined)
  })

  test("a stream of another user's request is refused, and that of an unknown request is not found", async () => {
    const stranger = await newPerson()
    const [own] = await idsOf('&action=export')
    expect((await stranger.api.call('GET', address(own, '/stream'))).status).toBe(403)
    expect((await owner.api.call('GET', address('action=none', '/stream'))).status).toBe(404)
  })
})
