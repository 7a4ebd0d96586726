import { cloudProviders } from '@reticle/contracts/rest/cloud-storages'
import type { PartFacts } from '@reticle/contracts/rest/server'
import { invalidText } from '@reticle/kit'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** Descriptions of an installation (docs/spec/rest.md#server-endpoints). */

const partOf = (given: Partial<PartFacts>): PartFacts => ({
  limits: {},
  features: {},
  media: [],
  image_types: [],
  ...given,
})
const readings = { media: ['image', 'zip', 'video', 'pdf'], image_types: ['jpeg', 'png'] }
const { send } = await startTestGateway({
  settings: { maxMultipartBytes: 1234, maxUploadBytes: 5678, rateUser: 77 },
  services: {
    tasks: {
      async describe() {
        return partOf({ limits: { jobs_per_task: 50 }, features: { registration: true } })
      },
    },
    annotations: {
      async describe() {
        return partOf({ limits: { annotation_objects: 9 } })
      },
    },
    server: {
      async describe() {
        return partOf({
          limits: { archive_ratio: 200 },
          features: { share: true },
          video_decoder: 'ffmpeg',
          ...readings,
        })
      },
      async readShare({ directory, search }) {
        if (directory === '..') throw invalidText('.. is an invalid directory')
        const name = `${directory} ${search}`
        return { entries: [{ name, type: 'REG', mime_type: 'image' }] }
      },
    },
    webhooks: {
      async describe() {
        return partOf({ limits: { webhooks_per_project: 3 } })
      },
    },
  },
})

test('capabilities are collected from all services, without a credential', async () => {
  const { status, json } = await send('/api/server/capabilities', { as: null })
  expect(status).toBe(200)
  expect(json()).toEqual({
    ...readings,
    ...{ video: true, video_decoder: 'ffmpeg', pdf: true, point_cloud: false },
    ...{ cloud_providers: [...cloudProviders] },
    ...{ email: false, registration: true, analytics: true, share: true },
    ...{ max_upload_bytes: 5678, max_jobs_per_task: 50, dialects: ['service', 'cvat'] },
  })
})

test('limits of all services are returned as numbers by name', async () => {
  const { status, json } = await send('/api/server/limits')
  expect(status).toBe(200)
  const found = Object(json())
  expect(found).toMatchObject({
    ...{ jobs_per_task: 50, annotation_objects: 9, archive_ratio: 200, webhooks_per_project: 3 },
    ...{
      multipart_bytes: 1234,
      rate_user_per_minute: 77,
      page_size: 1000,
      body_levels: 64,
      body_values: 200_000,
      body_object_keys: 10_000,
    },
  })
  expect(Object.values(found).filter((one) => typeof one !== 'number')).toEqual([])
  expect((await send('/api/server/limits', { as: null })).status).toBe(401)
})

test('plugins require a signed-in caller', async () => {
  const answer = await send('/api/server/plugins')
  expect(answer.json()).toEqual({
    ANALYTICS: true,
    MODELS: false,
    GIT_INTEGRATION: false,
    PREDICT: false,
  })
  expect((await send('/api/server/plugins', { as: null })).status).toBe(401)
})

test('the share is returned as a plain list', async () => {
  const answer = await send('/api/server/share?directory=street&search=a')
  expect([answer.status, answer.json()]).toEqual([
    200,
    [{ name: 'street a', type: 'REG', mime_type: 'image' }],
  ])
  const refused = await send('/api/server/share/?directory=..')
  expect([refused.status, refused.json()]).toEqual([400, ['.. is an invalid directory']])
  expect((await send('/api/server/share?directory=%00')).status).toBe(400)
  expect((await send('/api/server/share', { as: null })).status).toBe(401)
})

test('there are no user agreements', async () => {
  const { status, json } = await send('/api/user-agreements', { as: null })
  expect([status, json()]).toEqual([200, []])
})
