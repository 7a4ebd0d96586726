import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'
import { begin, sendChunk, sendFile, tus } from '../../support/tus.ts'

/** Chunked uploads, for every endpoint that accepts files. See docs/spec/requests.md#uploads. */

let reticle: ServerUnderTest
let anna: RegisteredUser
let api: ApiClient
/** A member of the same organization, who may also upload to all of these endpoints. */
let member: ApiClient
const ids: Record<string, number> = {}
const { newOrganization, newMember } = createUserFactory(() => reticle)

beforeAll(async () => {
  reticle = await shareReticle()
  const organization = await newOrganization()
  anna = organization.owner
  api = anna.api
  member = (await newMember(organization, 'maintainer')).api
  const json = { name: 'p', labels: [{ name: 'car' }] }
  const project = await api.done('POST', `/projects?org=${organization.slug}`, { json })
  const task = await taskWithMedia(api, { project_id: project.id })
  const [job] = await jobsOf(api, task.id)
  const given = { name: 'empty', project_id: project.id }
  const empty = await api.done('POST', '/tasks', { json: given })
  Object.assign(ids, { project: project.id, task: task.id, job: job.id, empty: empty.id })
})

interface UploadTarget {
  at: string
  query: string
  /** The expected error of a finish without a file. */
  refusal: unknown
}
const nothing = { annotation_file: ['No file was submitted.'] }
const targets: [name: string, place: () => UploadTarget][] = [
  [
    'media of a task',
    () => ({
      ...{ at: `/tasks/${ids.empty}/data/`, query: '' },
      refusal: { client_files: ['No file was submitted.'] },
    }),
  ],
  [
    'annotations of a task',
    () => ({ at: `/tasks/${ids.task}/annotations/`, query: 'format=COCO%201.0', refusal: nothing }),
  ],
  [
    'annotations of a job',
    () => ({ at: `/jobs/${ids.job}/annotations/`, query: 'format=COCO%201.0', refusal: nothing }),
  ],
  [
    'a data set of a project',
    () => ({
      ...{ at: `/projects/${ids.project}/dataset/`, query: 'format=COCO%201.0' },
      refusal: { dataset_file: ['No file was submitted.'] },
    }),
  ],
  ...(['projects', 'tasks'] as const).map((of): [string, () => UploadTarget] => [
    `a backup: ${of}`,
    () => ({
      ...{ at: `/${of}/backup/`, query: '' },
      refusal: { backup_file: ['No file was submitted.'] },
    }),
  ]),
]

const bytes = Buffer.from('0123456789')

describe.each(targets)('%s', (name, target) => {
  const beginUpload = async () => {
    const answer = await begin(api, target().at, { name: 'a.zip', length: bytes.length })
    expect([answer.status, answer.text]).toEqual([201, ''])
    return { location: String(answer.headers.get('location')), headers: answer.headers }
  }
  const offsetOf = async (location: string, by = api) => {
    const { status, headers } = await by.call('HEAD', location, { headers: tus })
    return [status, headers.get('upload-offset'), headers.get('upload-length')]
  }
  const start = (step: string, query: string) =>
    api.call('POST', `${target().at}?${query}`, { headers: { [step]: '' } })

  test('a start is answered 202 without a body, and an invalid query is refused', async () => {
    const { query } = target()
    const { status, text } = await start('upload-start', query)
    expect([status, text]).toEqual([202, ''])
    if (query !== '')
      expect((await start('upload-start', 'format=none')).body).toEqual([
        expect.stringContaining("Unknown input format 'none'"),
      ])
  })

  test('an upload has its own address, with its file name and the protocol headers', async () => {
    const { location, headers } = await beginUpload()
    const url = `${reticle.url}/api${target().at}`.replaceAll('.', '\\.')
    expect(location).toMatch(new RegExp(`^${url}${anna.id}_[\\da-f-]{36}$`))
    const filename = name === 'media of a task' ? 'a.zip' : location.split('/').at(-1)
    expect(Object.fromEntries(headers)).toMatchObject({
      'upload-filename': filename,
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-max-size': '26843545600',
      'tus-extension': expect.stringMatching(/^creation,termination,expiration/),
      'cache-control': 'no-store',
    })
    const { status, headers: shown } = await api.call('OPTIONS', target().at)
    expect([status, shown.get('tus-version')]).toEqual([204, '1.0.0'])
    await api.done('DELETE', location, { headers: tus })
  })

  test('an upload arrives in chunks, and HEAD reports its offset until it is complete', async () => {
    const { location } = await beginUpload()
    expect(await offsetOf(location)).toEqual([200, '0', '10'])
    const first = await sendChunk(api, location, 0, bytes.subarray(0, 4))
    expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '4'])
    expect(await offsetOf(location)).toEqual([200, '4', '10'])

    const wrong = await sendChunk(api, location, 3, bytes.subarray(3))
    expect([wrong.status, wrong.text, wrong.headers.get('upload-offset')]).toEqual([409, '', '4'])
    const tooMuch = await sendChunk(api, location, 4, bytes)
    expect([tooMuch.status, tooMuch.headers.get('tus-resumable')]).toEqual([413, '1.0.0'])
    expect(await offsetOf(location)).toEqual([200, '4', '10'])

    const last = await sendChunk(api, location, 4, bytes.subarray(4))
    expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '10'])
    expect((await offsetOf(location))[0]).toBe(404)
    await api.call('DELETE', `/tasks/${ids.empty}/data`)
  })

  test('an upload above the size limit is refused', async () => {
    const answer = await begin(api, target().at, { name: 'b.zip', length: 26_843_545_601 })
    expect(answer.status).toBe(413)
  })

  test('an upload is private to its sender, even among users who may upload there', async () => {
    const { location } = await beginUpload()
    const theirs = await begin(member, target().at, { name: 'b.zip', length: 1 })
    expect(theirs.status).toBe(201)
    expect((await offsetOf(location, member))[0]).toBe(403)
    expect((await sendChunk(member, location, 0, bytes)).status).toBe(403)
    expect((await member.call('DELETE', location, { headers: tus })).status).toBe(403)
    expect(await offsetOf(location)).toEqual([200, '0', '10'])
    expect((await api.call('DELETE', location, { headers: tus })).status).toBe(204)
    expect((await offsetOf(location))[0]).toBe(404)
    const other = String(theirs.headers.get('location'))
    expect((await member.call('DELETE', other, { headers: tus })).status).toBe(204)
  })

  test('a finish needs a complete file of the same sender', async () => {
    const { at, query, refusal } = target()
    const finish = (filename: string, by = api) =>
      by.call('POST', `${at}?${query}&filename=${filename}`, { headers: { 'upload-finish': '' } })
    const none = await start('upload-finish', query)
    expect([none.status, none.body]).toEqual([400, refusal])
    if (name === 'media of a task') return

    const unknown = [400, ['No such file were uploaded']]
    const { location, headers } = await beginUpload()
    await sendChunk(api, location, 0, bytes.subarray(0, 4))
    const half = await finish(headers.get('upload-filename') ?? '')
    expect([half.status, half.body]).toEqual(unknown)
    const sent = await sendFile(api, at, { name: 'a.zip', bytes })
    for (const attempt of [finish(sent, member), finish(`${anna.id}_${crypto.randomUUID()}`)]) {
      const { status, body } = await attempt
      expect([status, body]).toEqual(unknown)
    }
  })
})
